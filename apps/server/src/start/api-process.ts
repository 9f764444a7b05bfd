import type { FastifyInstance } from 'fastify';
import type { Platform } from '#platform/platform.ts';
import { createServer } from '../server.ts';
import { cannotListen } from './address.ts';

/** The part of a process that answers requests. */
export interface ApiProcess {
  /** Takes no more requests, finishes those under way, and returns when they are done or the grace period is over. */
  stop(): Promise<void>;
}

export async function startApi(platform: Platform): Promise<ApiProcess> {
  const { host, port, shutdownGraceSeconds } = platform.settings;
  const app = await createServer(platform);
  await app.listen({ host, port }).catch((error) => {
    throw cannotListen(error, host, port); // somebody has taken the port since it was tried
  });
  return { stop: () => drain(app, shutdownGraceSeconds) };
}

const SWEEP_MS = 50;

async function drain(app: FastifyInstance, graceSeconds: number): Promise<void> {
  const impatience = setTimeout(() => app.server.closeAllConnections(), graceSeconds * 1000);
  // Node closes connections that are idle now; one that has still to be answered becomes idle later, and its client
  // would keep it open until the grace period is over.
  const sweeping = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  await app.close();
  clearInterval(sweeping);
  clearTimeout(impatience);
}
