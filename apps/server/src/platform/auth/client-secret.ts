import { randomBytes } from 'node:crypto';
import type { InstanceKey } from './instance-key.ts';
import { readableText } from './readable-text.ts';

export const newClientId = (): string => `tc_${readableText(20)}`;

/** A new secret: shown once, kept as its digest. The hint lets a person tell two secrets apart. */
export function newClientSecret(key: InstanceKey): { secret: string; digest: Buffer; hint: string } {
  const secret = `ts_${randomBytes(32).toString('base64url')}`;
  return { secret, digest: key.digest(secret), hint: `…${secret.slice(-4)}` };
}
