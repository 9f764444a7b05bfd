/** Accents of Latin, Greek and Cyrillic letters, the points of Hebrew and the vowel signs of Arabic. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;

/** Letters that Unicode takes for letters of their own, and people who search for variants of others. */
const VARIANTS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ς: 'σ', // the form at the end of a word: whoever types a part of one types the other
};
const VARIANT = new RegExp(`[${Object.keys(VARIANTS).join('')}]`, 'g');
// biome-ignore lint/suspicious/noControlCharactersInRegex: plain ASCII needs none of the work
const PLAIN = /^[\u0000-\u007f]*$/;

/**
 * Text as a search compares it: without case, accents, compatibility forms and doubled spaces. "Café", "CAFE" and
 * "ｃａｆｅ" are one. Done here and not in the database, whose rules depend on its locale (ADR 0014).
 */
export function foldText(text: string): string {
  const letters = PLAIN.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(MARKS, '')
        .toLowerCase()
        .replace(VARIANT, (letter) => VARIANTS[letter] as string)
        .normalize('NFC');
  return letters.replace(/\s+/g, ' ').trim();
}

/** Text that is the same whatever its case; accents count. A sigma at the end has two small forms and one capital. */
export const caseless = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
