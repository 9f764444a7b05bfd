import { createServer } from 'node:net';
import { defaultBaseUrl, type Settings } from '#platform/config/settings.ts';
import { StartError } from '#platform/start-error.ts';

/**
 * Tries the address before anything else is started, so that a port in use is told at once, and settles port 0: the
 * address is the issuer of tokens and must be known from the beginning.
 */
export async function settleAddress(settings: Settings): Promise<Settings> {
  const port = await tryListen(settings.host, settings.port);
  if (settings.port !== 0) return settings;
  const isDefault = settings.baseUrl === defaultBaseUrl(settings.host, 0);
  return { ...settings, port, baseUrl: isDefault ? defaultBaseUrl(settings.host, port) : settings.baseUrl };
}

function tryListen(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(new StartError(reasonOf(error, host, port))),
    );
    probe.listen({ host, port }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

/** As a line that a person can act on. */
export const cannotListen = (error: NodeJS.ErrnoException, host: string, port: number): StartError =>
  new StartError(reasonOf(error, host, port), { cause: error });

function reasonOf(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use. Stop what uses it, or choose another with TENANTRY_PORT.`;
    case 'EACCES':
      return `Port ${port} may not be used by this user. Choose one above 1023 with TENANTRY_PORT.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine. Set TENANTRY_HOST to one that is, such as 127.0.0.1.`;
    default:
      return `Tenantry cannot listen on ${host}:${port}: ${error.message}`;
  }
}
