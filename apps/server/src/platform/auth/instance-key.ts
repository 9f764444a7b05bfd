import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The one secret of an installation, shared by its nodes. Each use has a key of its own derived from it, so that what
 * one of them gives away tells nothing about the others.
 */
export class InstanceKey {
  readonly #sealing: Buffer;
  readonly #digesting: Buffer;
  /** Kept in the database, to tell at the start whether this is the key that its secrets were sealed with. */
  readonly proof: string;

  constructor(secret: Uint8Array) {
    const derive = (purpose: string): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, 'tenantry', purpose, 32));
    this.#sealing = derive('seal');
    this.#digesting = derive('digest');
    this.proof = derive('proof').toString('hex');
  }

  /** Encrypts with AES-256-GCM. `context` must be the same when opened, so that sealed values cannot be swapped. */
  seal(plain: Buffer | string, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  open(sealed: Buffer, context: string): Buffer {
    const tagEnd = NONCE_BYTES + TAG_BYTES;
    const cipher = createDecipheriv('aes-256-gcm', this.#sealing, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES, // else a tag cut to four bytes would do, which can be guessed
    });
    cipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(NONCE_BYTES, tagEnd));
    return Buffer.concat([cipher.update(sealed.subarray(tagEnd)), cipher.final()]);
  }

  /** For secrets of 256 random bits, which need no slow hash. Passwords are hashed with argon2id instead. */
  digest(secret: string): Buffer {
    return createHmac('sha256', this.#digesting).update(secret).digest();
  }

  matches(secret: string, digest: Buffer): boolean {
    const actual = this.digest(secret);
    return actual.length === digest.length && timingSafeEqual(actual, digest);
  }
}
