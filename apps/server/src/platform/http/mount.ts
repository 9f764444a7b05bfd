import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Clock } from '#kernel/clock.ts';
import type { InstanceKey } from '#platform/auth/instance-key.ts';
import type { Database } from '#platform/db/database.ts';
import { type Authenticator, authenticate } from './authenticate.ts';
import { type Answer, answerOf, carryOut, NO_HEADERS, statusOf } from './carry-out.ts';
import { commonProblems } from './common.problems.ts';
import { Download } from './download.ts';
import { isUnchanged, parseTags } from './etag.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import type { Limits } from './limit.ts';
import { JSON_TYPE, negotiate } from './negotiation.ts';
import { permit } from './permit.ts';
import { Problem } from './problem.ts';
import type { Call, Route } from './route.ts';
import { requestValidator } from './validation.ts';

export interface HttpParts extends Authenticator {
  readonly clock: Clock;
  readonly db: Database;
  readonly instanceKey: InstanceKey;
  readonly limits: Limits;
}

/** What a path that is known answers in some way; any other method is unknown to the server. */
const ANSWERED: readonly HTTPMethods[] = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'PATCH',
  'TRACE',
  'QUERY',
  'OPTIONS',
];

/** Mounts the whole route table, and answers 405 where a path is known and the method is not. */
export function mountRoutes(app: FastifyInstance, routes: readonly Route[], parts: HttpParts): void {
  for (const route of routes) {
    if (route.raw === undefined) mountRoute(app, route, parts);
    else mountRaw(app, route, route.raw);
  }
  const byPath = Map.groupBy(routes, (route) => route.path);
  for (const [path, offered] of byPath) mountRefusal(app, path, offered);
}

function mountRoute(app: FastifyInstance, route: Route, parts: HttpParts): void {
  const validate = requestValidator(route);
  const produces = route.produces ?? [JSON_TYPE];
  app.route({
    method: route.method,
    url: fastifyPath(route.path),
    config: { operationId: route.operationId },
    ...(route.response === undefined || !produces.includes(JSON_TYPE)
      ? {}
      : { schema: { response: { [statusOf(route)]: route.response } } }),
    ...(isFree(route) ? {} : { onRequest: (request, reply) => admit(route, parts, request, reply) }),
    handler: async (request, reply) => {
      const accepted = negotiate(request.headers.accept, produces);
      const call = callOf(request, parts.clock.now(), accepted);
      validate(call);
      // A file is not made to be thrown away.
      if (request.method === 'HEAD' && accepted !== produces[0]) {
        reply.type(accepted);
        return '';
      }
      if (request.principal === null)
        return bodyOf(request, reply, answerOf(route, await route.handle(call)), accepted);
      const answer = await carryOut(parts, {
        route,
        call,
        principal: request.principal,
        idempotencyKey:
          route.method === 'POST' ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined,
      });
      return bodyOf(request, reply, answer, accepted);
    },
  });
}

/** In a context of its own, where no body is parsed: the route reads the stream itself. */
function mountRaw(app: FastifyInstance, route: Route, handler: NonNullable<Route['raw']>): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.route({
      method: route.method,
      url: fastifyPath(route.path),
      config: { operationId: route.operationId },
      handler,
    });
  });
}

/** Open to all, and nothing to count. */
const isFree = (route: Route): boolean => route.access === 'public' && route.method === 'GET';

/** authenticate → rate limit → permission. A public write is only counted. */
async function admit(
  route: Route,
  parts: HttpParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (route.access === 'public') return parts.limits.ofPublicWrite(reply, request.ip);
  const principal = await authenticate(parts, request.headers.authorization);
  await parts.limits.ofPrincipal(reply, principal);
  permit(route, principal);
  request.principal = principal;
}

const callOf = (request: FastifyRequest, now: Date, accepted: string): Call<unknown, unknown, unknown> => ({
  params: request.params,
  query: request.query,
  body: request.body,
  now,
  traceId: request.traceId,
  ipAddress: request.ip,
  ifMatch: parseTags(request.headers['if-match'], 'if-match'),
  accepted,
});

/**
 * Sets status and headers and gives the body to return. The reply itself is never returned from an async handler: it is
 * thenable, and waiting for it hangs listeners on every response.
 */
function bodyOf(request: FastifyRequest, reply: FastifyReply, answer: Answer, accepted: string): unknown {
  reply.code(answer.status);
  if (answer.headers !== NO_HEADERS) reply.headers(answer.headers);
  if (answer.replayed === true) reply.header('idempotent-replayed', 'true');
  if (accepted !== JSON_TYPE) reply.type(accepted);
  if (answer.body instanceof Download) return contentOf(reply, answer.body);
  const { etag } = answer.headers;
  if (etag !== undefined && (request.method === 'GET' || request.method === 'HEAD')) {
    reply.header('cache-control', 'private, no-cache'); // may be kept, and must be asked about
    if (isUnchanged(parseTags(request.headers['if-none-match'], 'if-none-match'), etag))
      return void reply.code(304);
  }
  return answer.status === 204 ? undefined : answer.body;
}

/** A reader that takes nothing for this long is gone; what it asked for holds a connection of the database. */
const STALLED_MS = 30_000;

function contentOf(reply: FastifyReply, { content, fileName }: Download): Readable {
  reply.header('content-disposition', `attachment; filename="${fileName}"`);
  dropStalled(reply.raw);
  return content;
}

/** By looking whether bytes have gone out: a timeout of the socket grants a reader that is stuck another period. */
function dropStalled(answer: ServerResponse): void {
  let sent = -1;
  const timer = setInterval(() => {
    const now = answer.socket?.bytesWritten ?? 0;
    if (answer.writableNeedDrain && now === sent) answer.destroy();
    if (answer.destroyed || answer.writableFinished) clearInterval(timer); // it may have been over before this began
    sent = now;
  }, STALLED_MS).unref();
  answer.once('close', () => clearInterval(timer));
}

function mountRefusal(app: FastifyInstance, path: string, offered: readonly Route[]): void {
  const methods: HTTPMethods[] = offered.map((route) => route.method);
  if (methods.includes('GET')) methods.push('HEAD');
  const allow = [...methods, 'OPTIONS'].join(', ');
  const refused = ANSWERED.filter((method) => !methods.includes(method));
  app.route({
    method: refused,
    url: fastifyPath(path),
    config: { operationId: 'methodNotAllowed' },
    onRequest: async (request, reply) => {
      if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
      throw new Problem(commonProblems['method-not-allowed'], {
        detail: `${request.method} is not offered here; ${methods.join(', ')} ${methods.length > 1 ? 'are' : 'is'}.`,
        headers: { allow },
      });
    },
    handler: () => {},
  });
}

/** `/invoices/{id}` as the router writes it: `/invoices/:id`. */
const fastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
