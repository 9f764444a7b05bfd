import { createHash } from 'node:crypto';
import type { InstanceKey } from '#platform/auth/instance-key.ts';
import { preparedSql } from '#platform/db/query.ts';
import type { Tx } from '#platform/db/tx.ts';
import { commonProblems, invalid } from './common.problems.ts';
import { Problem } from './problem.ts';

/** What is kept of an answer. Only successes are: a refusal changed nothing and may be tried again. */
export interface KeptReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface RequestIdentity {
  readonly tenantId: string;
  readonly principalId: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** What was asked: another request under the same key is refused. */
  readonly content: unknown;
}

const lock = preparedSql<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked');
const find = preparedSql<{ request_digest: Buffer; reply: Buffer }>(
  'select request_digest, reply from idempotency_record where tenant_id = $1 and scope_digest = $2 and created_at > $3',
);
const keep = preparedSql(
  `insert into idempotency_record (tenant_id, scope_digest, request_digest, reply, created_at) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, scope_digest) do update
     set request_digest = excluded.request_digest, reply = excluded.reply, created_at = excluded.created_at`,
);

export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined || (typeof header === 'string' && KEY.test(header)))
    return header as string | undefined;
  throw invalid('/headers/idempotency-key', 'must be 1 to 255 visible ASCII characters');
}

/**
 * Carries a request out once, however often it is sent. While it runs, an advisory lock of its transaction tells so;
 * when it ends, its answer is committed with its effect. A crash undoes both, so nothing is left behind to clean up.
 */
export async function once(
  tx: Pick<Tx, 'batch' | 'atCommit'>,
  instanceKey: InstanceKey,
  now: Date,
  request: RequestIdentity,
  carryOut: () => Promise<KeptReply>,
): Promise<KeptReply & { readonly replayed: boolean }> {
  const { tenantId, principalId, method, path, key } = request;
  const scope = digest([tenantId, principalId, method, path, key]);
  const asked = digest(request.content);
  const since = new Date(now.getTime() - IDEMPOTENCY_MS);
  // Two statements, not one: the second must see what the former holder of the lock has committed.
  const [locked, found] = await tx.batch([lock(scope.readBigInt64BE()), find(tenantId, scope, since)]);
  if (locked[0]?.locked !== true) {
    throw new Problem(commonProblems['idempotency-in-progress'], {
      detail: `A request with the Idempotency-Key ${key} is still being carried out.`,
      headers: { 'retry-after': '1' },
    });
  }
  const record = found[0];
  if (record !== undefined) {
    if (!record.request_digest.equals(asked)) {
      throw new Problem(commonProblems['idempotency-key-reused'], {
        detail: `The Idempotency-Key ${key} was used for another request before.`,
      });
    }
    const reply = JSON.parse(instanceKey.open(record.reply, scope.toString('hex')).toString()) as KeptReply;
    return { ...reply, replayed: true };
  }
  const reply = await carryOut();
  // Sealed, because an answer may hold a secret that is shown only once.
  const sealed = instanceKey.seal(JSON.stringify(reply), scope.toString('hex'));
  tx.atCommit(keep(tenantId, scope, asked, sealed, now));
  return { ...reply, replayed: false };
}

const digest = (value: unknown): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest();
