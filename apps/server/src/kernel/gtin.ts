/** A Global Trade Item Number of 8, 12, 13 or 14 digits whose last one checks the others (GS1 General Specifications). */
export function isGtin(text: string): boolean {
  if (!/^(?:\d{8}|\d{12,14})$/.test(text)) return false;
  let sum = 0;
  // Counted from the right, every second digit weighs three; so the check digit itself weighs one.
  for (let place = 0; place < text.length; place++) {
    sum += Number(text.at(-1 - place)) * (place % 2 === 0 ? 1 : 3);
  }
  return sum % 10 === 0;
}
