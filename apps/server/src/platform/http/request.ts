import type { FastifyRequest } from 'fastify';
import type { Principal } from '#platform/auth/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Told to the caller in every problem, and written in every log line of the request. */
    traceId: string;
    /** Set once the request is admitted; absent on public routes. */
    principal: Principal | null;
    startedAt: number;
  }
}

/** The path as the caller sent it, before the rewrite and without the query. */
export const requestPath = (request: FastifyRequest): string =>
  request.originalUrl.split('?', 1)[0] as string;
