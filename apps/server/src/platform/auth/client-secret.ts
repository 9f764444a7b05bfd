import { randomBytes } from 'node:crypto';
import type { InstanceKey } from './instance-key.ts';

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Without letters that look alike, since people read client ids to each other. */
export const newClientId = (): string =>
  `tc_${Array.from(randomBytes(20), (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;

/** A new secret: shown once, kept as its digest. The hint lets a person tell two secrets apart. */
export function newClientSecret(key: InstanceKey): { secret: string; digest: Buffer; hint: string } {
  const secret = `ts_${randomBytes(32).toString('base64url')}`;
  return { secret, digest: key.digest(secret), hint: `…${secret.slice(-4)}` };
}
