import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '#platform/observability/log.ts';
import type { Metrics } from '#platform/observability/metrics.ts';
import { requestPath } from './request.ts';

const SLOW_MS = 1_000;

type Observe = (operation: string, request: FastifyRequest, reply: FastifyReply) => void;

/** Counts every answer under its operation, and logs the slow ones; at the level debug all of them (ADR 0010). */
export function observeAnswers(app: FastifyInstance, metrics: Metrics, log: Log): Observe {
  const observe: Observe = (operation, request, reply) => {
    const milliseconds = performance.now() - request.startedAt;
    metrics.observe(operation, reply.statusCode, milliseconds);
    if (milliseconds <= SLOW_MS && !log.isLevelEnabled('debug')) return;
    const level = milliseconds > SLOW_MS ? 'warn' : 'debug';
    const figures = { operation, status: reply.statusCode, milliseconds: Math.round(milliseconds) };
    log[level]({ ...aboutRequest(request), ...figures }, 'request');
  };
  // A hook per route that knows its operation, so that no request has to be asked for its route.
  app.addHook('onRoute', (route) => {
    const { operationId = 'unknown' } = (route.config ?? {}) as { operationId?: string };
    route.onResponse = (request, reply, done) => {
      observe(operationId, request, reply);
      done();
    };
  });
  return observe;
}

/** What every log line of a request begins with. */
export const aboutRequest = (request: FastifyRequest) => ({
  traceId: request.traceId,
  method: request.method,
  path: requestPath(request),
  tenantId: request.principal?.tenantId,
  principalId: request.principal?.id,
});
