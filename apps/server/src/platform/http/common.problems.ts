import { defineProblems, Problem } from './problem.ts';

/** What can happen on any route. */
export const commonProblems = defineProblems({
  'invalid-request': {
    status: 400,
    title: 'Bad Request',
    meaning: 'Something in the request is malformed or breaks a rule of its schema.',
    remedy:
      'Read `errors`: each key is a JSON pointer to the offending value, each message tells what is allowed.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The request carries no credentials.',
    remedy: 'Fetch a token from /connect/token and send it as `Authorization: Bearer <token>`.',
  },
  'invalid-token': {
    status: 401,
    title: 'Unauthorized',
    meaning:
      'The token is not one that this service accepts: malformed, expired, revoked, or made for another service.',
    remedy:
      'Fetch a new token. If that fails too, ask your administrator whether the API client is still active.',
  },
  'insufficient-scope': {
    status: 403,
    title: 'Forbidden',
    meaning: 'The token is genuine but was not issued with the scope `api`.',
    remedy: 'Ask for `scope=api` when fetching the token.',
  },
  'permission-denied': {
    status: 403,
    title: 'Forbidden',
    meaning: 'You are known here, but none of your roles holds the permission that this operation needs.',
    remedy: 'Ask an administrator of your workspace for a role with the permission named in `detail`.',
  },
  'other-tenant': {
    status: 403,
    title: 'Forbidden',
    meaning: 'The id in the path belongs to another workspace.',
    remedy: 'Check which workspace your token was issued for; every token reaches exactly one.',
  },
  'tenant-suspended': {
    status: 403,
    title: 'Workspace Suspended',
    meaning: 'The workspace has been suspended. Its data is kept; nothing can be read or changed for now.',
    remedy: 'Contact the operator of this service.',
  },
  'not-found': {
    status: 404,
    title: 'Not Found',
    meaning: 'There is nothing at this address: the path is unknown, or the id is.',
    remedy: 'Check the path against /openapi.json, and the id against the list that it came from.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    meaning: 'The path exists, but not with this method.',
    remedy: 'The `Allow` header lists the methods that it has.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not Acceptable',
    meaning: 'The `Accept` header admits none of the formats that this operation answers in.',
    remedy: 'Send `Accept: application/json`, or one of the formats named in `detail`.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition Failed',
    meaning:
      'The resource has changed since you read it: its `ETag` is no longer the one in your `If-Match`.',
    remedy: 'Read it again, apply your change to what you find, and send that with the new `ETag`.',
  },
  'payload-too-large': {
    status: 413,
    title: 'Payload Too Large',
    meaning: 'The body is larger than this service takes.',
    remedy: 'Send less at once; `detail` names the limit.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported Media Type',
    meaning: 'The body is not in a format that this operation reads.',
    remedy: 'Send JSON in UTF-8 with `Content-Type: application/json`.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency Key Reused',
    meaning:
      'The same `Idempotency-Key` came with another request before. A key stands for one request only.',
    remedy: 'Make a new key for each new request; use the same key only to repeat the very same one.',
  },
  'idempotency-in-progress': {
    status: 409,
    title: 'Request In Progress',
    meaning: 'A request with the same `Idempotency-Key` is being carried out at this moment.',
    remedy: 'Wait a second and send the same request again: you will get its answer.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too Many Requests',
    meaning: 'More requests came within a minute than are allowed.',
    remedy:
      'Wait as many seconds as `Retry-After` says. The `RateLimit` header tells what is left at any time.',
  },
  'too-many-exports': {
    status: 429,
    title: 'Too Many Exports',
    meaning:
      'An export keeps a connection of the database for as long as it is read, so only a few may run at once.',
    remedy:
      'Wait until one of your exports has been read to its end, or as many seconds as `Retry-After` says.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal Server Error',
    meaning: 'Something went wrong on our side. Nothing that you sent has been half done.',
    remedy: 'Try again later. If it stays, give `traceId` to the operator of this service.',
  },
  overloaded: {
    status: 503,
    title: 'Service Unavailable',
    meaning: 'The service has more to do than it can at this moment, or is stopping.',
    remedy: 'Wait as many seconds as `Retry-After` says and try again.',
  },
  'database-unavailable': {
    status: 503,
    title: 'Service Unavailable',
    meaning: 'The service cannot reach its database.',
    remedy: 'Wait as many seconds as `Retry-After` says and try again. Nothing acknowledged is lost.',
  },
});

export const invalid = (pointer: string, message: string): Problem => invalidInput({ [pointer]: [message] });

export function invalidInput(errors: Readonly<Record<string, readonly string[]>>): Problem {
  const [first] = Object.entries(errors);
  const more = Object.keys(errors).length - 1;
  const detail = `${first?.[0] || 'The request'} ${first?.[1][0]}${more > 0 ? `, and ${more} more` : ''}.`;
  return new Problem(commonProblems['invalid-request'], { detail, errors });
}

/**
 * The row, or 404: this tenant has none of that id. Whether another tenant has it (then 403) is found out before the
 * caller is answered.
 */
export function found<Row>(row: Row | undefined, table: string, name: string, id: string): Row {
  if (row !== undefined) return row;
  throw new Problem(commonProblems['not-found'], {
    detail: `There is no ${name} ${id}.`,
    missing: { table, id },
  });
}

export const permissionDenied = (detail: string): Problem =>
  new Problem(commonProblems['permission-denied'], { detail });
