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
