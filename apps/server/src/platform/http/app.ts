import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Settings } from '#platform/config/settings.ts';
import type { Log } from '#platform/observability/log.ts';
import type { Metrics } from '#platform/observability/metrics.ts';
import { refuseBrokenHttp } from './broken-http.ts';
import { commonProblems, invalid } from './common.problems.ts';
import { allowOrigins } from './cors.ts';
import { internalError, problemOf, sendProblem } from './failure.ts';
import { checkUrl, parseJsonBody, refuseOtherCharsets } from './json-body.ts';
import { aboutRequest, observeAnswers } from './observe.ts';
import { LIVENESS_PATH, overloaded, watchLag } from './overload.ts';
import { Problem } from './problem.ts';
import { requestPath } from './request.ts';
import { requestIdOf, traceIdOf } from './trace.ts';
import { rewriteVersion } from './version-rewrite.ts';

interface AppParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The HTTP server without routes: what every request and every answer has in common. */
export async function createApp({ settings, log, metrics }: AppParts): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: settings.bodyLimitBytes,
    genReqId: () => '',
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    rewriteUrl: (request) => rewriteVersion(request.url ?? '/'),
    http: { requireHostHeader: false }, // refused below, as a problem instead of an empty 400
    requestTimeout: 60_000,
    keepAliveTimeout: 75_000, // longer than the 60 s of common load balancers, so that they close first
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error, request, reply) => fail(error, request, reply as FastifyReply),
    clientErrorHandler: refuseBrokenHttp(settings.baseUrl),
  });
  app.decorateRequest('traceId', '');
  app.decorateRequest('principal', null);
  app.decorateRequest('startedAt', 0);
  // Every part of a request is checked by validation.ts, all at once; Fastify only serializes.
  app.setValidatorCompiler(() => () => true);

  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });

  const lag = watchLag(app, settings.maxEventLoopDelayMs);
  const isHttps = settings.baseUrl.startsWith('https:');
  /** What every answer carries. Called again for what fails before the hooks run, such as a broken address. */
  const stamp = (request: FastifyRequest, reply: FastifyReply): void => {
    request.startedAt = performance.now();
    request.traceId = traceIdOf(request.headers.traceparent);
    // By the reply, not the raw response: a header set there makes Node merge instead of write (five
    // of them: 18 µs a request there, 9 here, in one run of each).
    reply
      .header('x-request-id', requestIdOf(request.headers['x-request-id'], request.traceId))
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      .header('cache-control', 'no-store');
    if (isHttps) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
  };
  app.addHook('onRequest', (request, reply, done) => {
    stamp(request, reply);
    if (isClosing) {
      reply.header('connection', 'close');
      return done(overloaded('The service is stopping.') as Error);
    }
    if (lag.isTooLarge && request.url !== LIVENESS_PATH)
      return done(overloaded('The service has more to do than it can at this moment.') as Error);
    try {
      checkUrl(request.originalUrl);
      if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
        throw invalid('/headers/host', 'is required');
    } catch (error) {
      return done(error as Error);
    }
    done();
  });

  const observe = observeAnswers(app, metrics, log);
  await allowOrigins(app, settings.corsOrigins);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseOtherCharsets(request.headers['content-type']);
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!request.traceId) stamp(request, reply);
    const problem = problemOf(error, settings.bodyLimitBytes);
    if (problem === undefined) log.error({ ...aboutRequest(request), err: error }, 'request failed');
    else if (problem.kind.status >= 500)
      log.warn({ ...aboutRequest(request), reason: (error as Error).message }, 'request refused');
    return sendProblem(request, reply, problem ?? internalError(), settings.baseUrl);
  };
  app.setErrorHandler((error, request, reply) => void fail(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const problem = new Problem(commonProblems['not-found'], {
      detail: `There is nothing at ${requestPath(request)}.`,
    });
    sendProblem(request, reply, problem, settings.baseUrl);
    observe('unknownPath', request, reply); // no route, so none of its hooks
  });
  return app;
}
