import type { InstanceKey } from '#platform/auth/instance-key.ts';
import { actorOf, type Principal } from '#platform/auth/principal.ts';
import type { AcrossTx } from '#platform/db/across-tx.ts';
import type { Database } from '#platform/db/database.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { commonProblems, permissionDenied } from './common.problems.ts';
import { etagOf } from './etag.ts';
import { type KeptReply, once } from './idempotency.ts';
import { cursorFault } from './list.ts';
import { Problem } from './problem.ts';
import type { Call, Route } from './route.ts';

interface Carrier {
  readonly db: Database;
  readonly instanceKey: InstanceKey;
}

export interface Order {
  readonly route: Route;
  readonly call: Call<unknown, unknown, unknown>;
  readonly principal: Principal | null;
  /** The path after the rewrite: both spellings of an address are one request. */
  readonly path: string;
  readonly idempotencyKey: string | undefined;
}

export type Answer = KeptReply & { readonly replayed?: boolean };

/** Runs the route's handler with the transaction or the reader that its access calls for. */
export async function carryOut(carrier: Carrier, order: Order): Promise<Answer> {
  try {
    return await dispatch(carrier, order);
  } catch (error) {
    if (error instanceof Problem && error.details.missing !== undefined && order.principal !== null) {
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
  if (principal === null) return answerOf(route, await route.handle(call));

  const { db } = carrier;
  const actor = actorOf(principal, call.ipAddress, call.traceId);
  const acrossTenants = <T>(reason: string, work: (across: AcrossTx) => Promise<T>): Promise<T> => {
    if (!principal.isOperator) throw permissionDenied('Only an operator may look across workspaces.');
    return db.acrossTenants(reason, actor, work);
  };

  if (route.access === 'operator') {
    return db.acrossTenants(route.operationId, actor, (across) =>
      maybeOnce(carrier, order, principal, across, () => route.handle({ ...call, principal, across })),
    );
  }
  if (route.method === 'GET') {
    const context = { ...call, principal, acrossTenants, db: db.reader(principal.tenantId) };
    return answerOf(route, await route.handle(context));
  }
  return db.inTenant(principal.tenantId, actor, (tx) =>
    maybeOnce(carrier, order, principal, tx, () =>
      route.handle({ ...call, principal, acrossTenants, tx } as typeof call),
    ),
  );
}

async function maybeOnce(
  { instanceKey }: Carrier,
  { route, call, path, idempotencyKey }: Order,
  principal: Principal,
  tx: TenantTx | AcrossTx,
  handle: () => unknown,
): Promise<Answer> {
  const run = async (): Promise<KeptReply> => answerOf(route, await handle());
  if (idempotencyKey === undefined) return run();
  const identity = {
    tenantId: principal.tenantId,
    principalId: principal.id,
    method: route.method,
    path,
    key: idempotencyKey,
    content: [call.query, call.body],
  };
  return once(tx, instanceKey, call.now, identity, run);
}

function answerOf(route: Route, body: unknown): KeptReply {
  const headers: Record<string, string> = { ...route.headers?.(body) };
  if (route.creates !== undefined) headers.location = route.creates(body);
  if (route.version !== undefined) headers.etag = etagOf(route.version(body));
  return { status: route.status?.(body) ?? statusOf(route), headers, body };
}

export function statusOf(route: Route): number {
  if (route.creates !== undefined) return 201;
  return route.response === undefined && route.produces === undefined ? 204 : 200;
}
