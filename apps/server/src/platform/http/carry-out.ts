import { isUuid } from '#kernel/ids.ts';
import type { InstanceKey } from '#platform/auth/instance-key.ts';
import { actorOf, type Principal } from '#platform/auth/principal.ts';
import type { AcrossTx } from '#platform/db/across-tx.ts';
import type { Database } from '#platform/db/database.ts';
import type { Tx } from '#platform/db/tx.ts';
import { commonProblems, permissionDenied } from './common.problems.ts';
import { cursorFault } from './cursor.ts';
import { etagOf } from './etag.ts';
import { type KeptReply, once } from './idempotency.ts';
import { Problem } from './problem.ts';
import type { Call, Route } from './route.ts';

interface Carrier {
  readonly db: Database;
  readonly instanceKey: InstanceKey;
}

export interface Order {
  readonly route: Route;
  readonly call: Call<unknown, unknown, unknown>;
  readonly principal: Principal;
  readonly idempotencyKey: string | undefined;
}

export type Answer = KeptReply & { readonly replayed?: boolean };

/** Runs the route's handler with the transaction or the reader that its access calls for. */
export async function carryOut(carrier: Carrier, order: Order): Promise<Answer> {
  try {
    return await dispatch(carrier, order);
  } catch (error) {
    if (error instanceof Problem && error.details.missing !== undefined) {
      const { table, id } = error.details.missing;
      if (await carrier.db.existsInOtherTenant(table, id, order.principal.tenantId)) {
        throw new Problem(commonProblems['other-tenant'], { detail: `${id} belongs to another workspace.` });
      }
    }
    throw cursorFault(error, order.call.query) ?? error;
  }
}

async function dispatch(carrier: Carrier, order: Order): Promise<Answer> {
  const { route, call, principal } = order;
  const { db } = carrier;
  const actor = actorOf(principal, call.ipAddress, call.traceId);
  const acrossTenants = <T>(reason: string, work: (across: AcrossTx) => Promise<T>): Promise<T> => {
    if (!principal.isOperator) throw permissionDenied('Only an operator may look across workspaces.');
    return db.acrossTenants(reason, actor, work);
  };

  if (route.access === 'operator') {
    return db.acrossTenants(route.operationId, actor, (across) =>
      maybeOnce(carrier, order, across, () => route.handle({ ...call, principal, across })),
    );
  }
  if (route.method === 'GET') {
    const reader = db.reader(principal.tenantId);
    return answerOf(route, await route.handle({ ...call, principal, acrossTenants, db: reader }));
  }
  return db.inTenant(principal.tenantId, actor, (tx) =>
    maybeOnce(carrier, order, tx, () => route.handle({ ...call, principal, acrossTenants, tx })),
  );
}

async function maybeOnce(
  { instanceKey }: Carrier,
  { route, call, principal, idempotencyKey }: Order,
  tx: Tx,
  handle: () => unknown,
): Promise<Answer> {
  const run = async (): Promise<KeptReply> => answerOf(route, await handle());
  if (idempotencyKey === undefined) return run();
  const identity = {
    tenantId: principal.tenantId,
    principalId: principal.id,
    method: route.method,
    path: addressOf(route, call.params),
    key: idempotencyKey,
    content: [call.query, call.body],
  };
  return once(tx, instanceKey, call.now, identity, run);
}

/** One request however its address is spelt: under /api/v1, percent-encoded, with an id in capitals. */
const addressOf = (route: Route, params: unknown): string =>
  route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((params as Readonly<Record<string, unknown>>)[name]);
    return isUuid(value) ? value.toLowerCase() : encodeURIComponent(value);
  });

export const NO_HEADERS: Readonly<Record<string, string>> = {};

export function answerOf(route: Route, body: unknown): KeptReply {
  return { status: route.status?.(body) ?? statusOf(route), headers: headersOf(route, body), body };
}

function headersOf(route: Route, body: unknown): Readonly<Record<string, string>> {
  const { headers, creates, version } = route;
  if (headers === undefined && creates === undefined && version === undefined) return NO_HEADERS;
  return {
    ...headers?.(body),
    ...(creates === undefined ? undefined : { location: creates(body) }),
    ...(version === undefined ? undefined : { etag: etagOf(version(body)) }),
  };
}

export function statusOf(route: Route): number {
  if (route.creates !== undefined) return 201;
  return route.response === undefined && route.produces === undefined ? 204 : 200;
}
