import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** One way to read the text of an environment variable. `allowed` completes the sentence "It must be …". */
export interface Kind<Value> {
  readonly allowed: string;
  /** Answers undefined for a text that is not allowed. */
  read(text: string): Value | undefined;
}

const hostPattern = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;

// A name whose last part is a number would be read as an IPv4 address by others, and was no IP address above.
const looksLikeAnAddress = /(^|\.)\d+$/;

export const hostName: Kind<string> = {
  allowed: 'an IP address or a host name, without port or brackets',
  read(text) {
    if (isIP(text) !== 0) return text;
    return hostPattern.test(text) && !looksLikeAnAddress.test(text) ? text : undefined;
  },
};

export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    read(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export const yesOrNo: Kind<boolean> = {
  allowed: 'true or false',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

export function oneOf<const Name extends string>(...names: readonly Name[]): Kind<Name> {
  return {
    allowed: `one of ${names.join(', ')}`,
    read: (text) => names.find((name) => name === text),
  };
}

export const filePath: Kind<string> = {
  allowed: 'a path, taken from the working directory when it is relative',
  read: (text) => (text.includes('\0') ? undefined : resolve(text)),
};

export const key32: Kind<Buffer> = {
  allowed:
    '32 bytes written as base64 or as 64 hexadecimal digits, for example from: openssl rand -base64 32',
  read(text) {
    if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
    // 32 bytes are 43 characters of base64; anything else would be decoded to another length, silently.
    return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  },
};

export function listOf<Item>(item: Kind<Item>, allowed: string): Kind<readonly Item[]> {
  return {
    allowed,
    read(text) {
      const values: Item[] = [];
      for (const part of text.split(',')) {
        const value = item.read(part.trim());
        if (value === undefined) return undefined;
        values.push(value);
      }
      return values;
    },
  };
}
