import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { readableText } from './readable-text.ts';

const derive = promisify(argon2);

/** The second choice of RFC 9106, for servers that cannot spare 2 GiB a sign-in: 64 MiB, three passes, four lanes. */
const COST = { memory: 65_536, passes: 3, parallelism: 4 };

/** argon2id, in the PHC string format that other programs read too. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await argon2id(password, salt, COST);
  const cost = `m=${COST.memory},t=${COST.passes},p=${COST.parallelism}`;
  return `$argon2id$v=19$${cost}$${unpadded(salt)}$${unpadded(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const parts = PHC.exec(hash);
  if (parts === null) return false;
  const [memory, passes, parallelism, salt, tag] = parts.slice(1) as [string, string, string, string, string];
  const expected = Buffer.from(tag, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const actual = await argon2id(password, Buffer.from(salt, 'base64'), cost, expected.length);
  return timingSafeEqual(actual, expected);
}

/** For first administrators: 95 random bits, easy to copy. They are asked to change it. */
export const temporaryPassword = (): string => [5, 5, 5, 4].map(readableText).join('-');

const argon2id = (password: string, salt: Buffer, cost: typeof COST, tagLength = 32): Promise<Buffer> =>
  derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce: salt,
    tagLength,
    ...cost,
  }) as Promise<Buffer>;

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
