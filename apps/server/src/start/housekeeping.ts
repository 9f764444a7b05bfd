import { systemActor } from '#platform/db/actor.ts';
import type { Statement } from '#platform/db/group-query.ts';
import { IDEMPOTENCY_MS } from '#platform/http/idempotency.ts';
import type { Platform } from '#platform/platform.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STEP_ROWS = 1_000;

/** What must be done from time to time. Nodes may all do it: each task bears being done twice. */
export function startHousekeeping(platform: Platform, tasks: 'all' | 'keysOnly'): () => void {
  const { keys } = platform;
  const timers = [
    every(platform, MINUTE_MS, async () => {
      await keys.reload();
      await keys.rotate();
    }),
  ];
  if (tasks === 'all') {
    timers.push(every(platform, HOUR_MS, () => removeOldIdempotencyRecords(platform)));
    timers.push(every(platform, HOUR_MS, () => removeOldEvents(platform)));
  }
  return () => timers.forEach(clearInterval);
}

function every({ log }: Platform, milliseconds: number, task: () => Promise<void>): NodeJS.Timeout {
  const run = (): void =>
    void task().catch((error) => log.warn({ err: error }, 'housekeeping failed and will be tried again'));
  return setInterval(run, milliseconds).unref();
}

/** In small steps, so that no lock is held for long. */
async function removeInSteps(platform: Platform, reason: string, statement: Statement): Promise<void> {
  let removed: number;
  do {
    removed = await platform.db.acrossTenants(reason, systemActor('housekeeping'), (across) =>
      across.write(statement),
    );
  } while (removed === STEP_ROWS);
}

export function removeOldIdempotencyRecords(platform: Platform): Promise<void> {
  return removeInSteps(platform, 'remove old idempotency records', {
    text: `delete from idempotency_record where (tenant_id, scope_digest) in
             (select tenant_id, scope_digest from idempotency_record where created_at <= $1 limit ${STEP_ROWS})`,
    values: [new Date(platform.clock.now().getTime() - IDEMPOTENCY_MS)],
  });
}

/** So long may whoever listens be away. */
const EVENTS_KEPT_MS = 7 * 24 * HOUR_MS;

/** Looks at the oldest only, by their numbers, so that it costs nothing while none is old enough. */
export function removeOldEvents(platform: Platform): Promise<void> {
  return removeInSteps(platform, 'remove old events', {
    text: `delete from outbox_event where (tenant_id, id) in
             (select tenant_id, id from
               (select tenant_id, id, occurred_at from outbox_event order by number limit ${STEP_ROWS}) oldest
              where occurred_at <= $1)`,
    values: [new Date(platform.clock.now().getTime() - EVENTS_KEPT_MS)],
  });
}
