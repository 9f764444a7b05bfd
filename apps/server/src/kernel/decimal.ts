/** Exact decimals of at most six decimals: as text everywhere, as whole millionths while reckoning (ADR 0015). */
const DECIMALS = 6;
const ONE = 10n ** BigInt(DECIMALS);

/** Amounts and quantities are below this. */
export const LARGEST = 10n ** 13n * ONE - 1n;

/** Bounded, because reading a million digits takes a while. */
const PLAIN = /^-?\d{1,40}(?:\.(\d{1,40}))?$/;

/** What a decimal must keep to, beyond what all of them do. The bounds are decimals themselves. */
export interface DecimalRule {
  readonly minimum?: string;
  readonly maximum?: string;
  readonly notZero?: boolean;
}

/** Why the value is no such decimal, to be read after the name of its field; nothing if it is one. */
export function decimalFault(value: string | number, rule: DecimalRule): string | undefined {
  const text = String(value);
  if (typeof value === 'number' && significantDigits(text) > 15)
    return 'has more than 15 significant digits; send it as a string';
  const parts = PLAIN.exec(text);
  if (parts === null || (parts[1] ?? '').length > DECIMALS)
    return `must be a decimal of at most ${DECIMALS} decimals, such as "120.50"`;
  const exact = millionths(text);
  if (exact > LARGEST || exact < -LARGEST) return 'must be below 10000000000000';
  if (rule.minimum !== undefined && exact < millionths(rule.minimum))
    return `must be at least ${rule.minimum}`;
  if (rule.maximum !== undefined && exact > millionths(rule.maximum))
    return `must be at most ${rule.maximum}`;
  if (rule.notZero === true && exact === 0n) return 'must not be 0';
  return undefined;
}

const significantDigits = (text: string): number =>
  text
    .replace(/e.*$/i, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '').length;

/** Of a text that has passed the check. */
export function millionths(text: string): bigint {
  const [whole = '0', decimals = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole) * ONE + BigInt(decimals.padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -size : size;
}

/** With at least so many decimals, and no zero at the end beyond them. */
export function decimalText(value: bigint, decimals = 0): string {
  const size = value < 0n ? -value : value;
  const fraction = (size % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '').padEnd(decimals, '0');
  return `${value < 0n ? '-' : ''}${size / ONE}${fraction === '' ? '' : `.${fraction}`}`;
}

/** One way to write each decimal: "007.50" and 7.5 are both "7.5", or "7.50" with two decimals. */
export const canonical = (value: string | number, decimals = 0): string =>
  decimalText(millionths(String(value)), decimals);
