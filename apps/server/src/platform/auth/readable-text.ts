import { randomBytes } from 'node:crypto';

/** Without letters that look alike, since people read these to each other. 32 of them: five random bits each. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

export const readableText = (length: number): string =>
  Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
