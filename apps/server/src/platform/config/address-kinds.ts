import { isIP } from 'node:net';
import { type Kind, listOf } from './setting-kinds.ts';

function parseUrl(text: string, protocols: readonly string[]): URL | undefined {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) ? url : undefined;
}

export const baseUrl: Kind<string> = {
  allowed:
    'a whole http:// or https:// URL without a slash at its end, query, fragment or password, for example https://erp.example.com',
  read(text) {
    const url = parseUrl(text, ['http:', 'https:']);
    if (url === undefined || /[?#]|\/$/.test(text) || url.username !== '' || url.password !== '')
      return undefined;
    return url.pathname === '/' ? url.origin : url.origin + url.pathname;
  },
};

// Without an authority (`postgres:///name?host=/run/postgresql`) the server is reached by a socket in a folder.
export const postgresUrl: Kind<string> = {
  allowed:
    'a URL like postgres://user:password@host:5432/name, with characters such as @ / # of the password percent-encoded',
  read: (text) =>
    text.includes('://') && parseUrl(text, ['postgres:', 'postgresql:']) !== undefined ? text : undefined,
};

export const redisUrl: Kind<string> = {
  allowed: 'a URL like redis://user:password@host:6379 or, with TLS, rediss://…',
  read: (text) => (parseUrl(text, ['redis:', 'rediss:'])?.hostname ? text : undefined),
};

export const smtpUrl: Kind<string> = {
  allowed: 'a URL like smtp://user:password@host:587 or, with TLS from the start, smtps://…',
  read: (text) => (parseUrl(text, ['smtp:', 'smtps:'])?.hostname ? text : undefined),
};

const origin: Kind<string> = {
  allowed: 'an origin',
  read: (text) => (parseUrl(text, ['http:', 'https:'])?.origin === text ? text : undefined),
};

export const origins = listOf(
  origin,
  'a list, separated by commas, of origins in lower case without a path, for example https://app.example.com',
);

const networkNames = ['loopback', 'linklocal', 'uniquelocal'];

/** The prefix is at least 1, as `proxy-addr` has it: a /0 would let every caller choose its own address. */
function isNetwork(text: string): boolean {
  const slash = text.indexOf('/');
  const family = isIP(slash < 0 ? text : text.slice(0, slash));
  if (family === 0 || slash < 0) return family !== 0;
  const prefix = text.slice(slash + 1);
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

const network: Kind<string> = {
  allowed: 'a network',
  read: (text) => (networkNames.includes(text) || isNetwork(text) ? text : undefined),
};

export const networks = listOf(
  network,
  `a list, separated by commas, of IP addresses, networks such as 10.0.0.0/8, or the names ${networkNames.join(', ')}`,
);
