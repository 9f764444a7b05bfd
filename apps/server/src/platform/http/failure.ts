import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailable, isSqlError } from '#platform/db/connection.ts';
import { TooManyCopies } from '#platform/db/copy-out.ts';
import { commonProblems, invalid } from './common.problems.ts';
import { Problem } from './problem.ts';
import { requestPath } from './request.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** What PostgreSQL says when the statement timeout is over: it has too much to do, or a table is locked. */
const QUERY_CANCELED = '57014';

/** Two transactions wait for each other, such as two products that exchange their SKUs; one of them is given up. */
const DEADLOCK_DETECTED = '40P01';

interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly traceId: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

export function problemDocument(
  problem: Problem,
  baseUrl: string,
  instance: string,
  traceId: string,
): ProblemDocument {
  const { slug, status, title } = problem.kind;
  const { detail, errors } = problem.details;
  const type = `${baseUrl}/problems/${slug}`;
  return { type, title, status, detail, instance, traceId, ...(errors === undefined ? {} : { errors }) };
}

export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  baseUrl: string,
): FastifyReply {
  const document = problemDocument(problem, baseUrl, requestPath(request), request.traceId);
  return reply
    .code(problem.kind.status)
    .headers(problem.details.headers ?? {})
    .header('content-type', PROBLEM_TYPE)
    .serializer(JSON.stringify)
    .send(document);
}

/** Whatever was thrown, as the problem that the caller is told. `undefined`: it is our fault, and is not explained. */
export function problemOf(error: unknown, bodyLimitBytes: number): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseUnavailable) {
    return new Problem(commonProblems['database-unavailable'], {
      detail: 'The database cannot be reached at the moment.',
      headers: { 'retry-after': '2' },
    });
  }
  if (error instanceof TooManyCopies) {
    return new Problem(commonProblems['too-many-exports'], {
      detail: 'As many exports as may run at once are under way.',
      headers: { 'retry-after': '5' },
    });
  }
  if (isSqlError(error) && error.code === QUERY_CANCELED) {
    return new Problem(commonProblems.overloaded, {
      detail: 'The database took too long to answer.',
      headers: { 'retry-after': '2' },
    });
  }
  if (isSqlError(error) && error.code === DEADLOCK_DETECTED) {
    return new Problem(commonProblems.overloaded, {
      detail: 'Another request was changing the same at the same moment; nothing was changed by this one.',
      headers: { 'retry-after': '1' },
    });
  }
  const { code, message } = error as { code?: unknown; message?: string };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem(commonProblems['payload-too-large'], {
        detail: `The body is larger than ${bodyLimitBytes} bytes.`,
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(commonProblems['unsupported-media-type'], {
        detail: 'The body must be sent as application/json.',
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalid('', 'is not as long as its Content-Length says');
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return invalid('/headers/content-type', 'is required');
    case 'FST_ERR_BAD_URL':
      return invalid('', 'is not a valid address');
    case 'FST_ERR_ASYNC_CONSTRAINT':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem(commonProblems['not-found'], { detail: message ?? 'There is nothing here.' });
    default:
      return undefined;
  }
}

export const internalError = (): Problem =>
  new Problem(commonProblems['internal-error'], { detail: 'Something went wrong on our side.' });
