import { systemActor } from '#platform/db/actor.ts';
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
  if (tasks === 'all') timers.push(every(platform, HOUR_MS, () => removeOldIdempotencyRecords(platform)));
  return () => timers.forEach(clearInterval);
}

function every({ log }: Platform, milliseconds: number, task: () => Promise<void>): NodeJS.Timeout {
  const run = (): void =>
    void task().catch((error) => log.warn({ err: error }, 'housekeeping failed and will be tried again'));
  return setInterval(run, milliseconds).unref();
}

/** In small steps, so that no lock is held for long. */
export async function removeOldIdempotencyRecords({ db, clock }: Platform): Promise<void> {
  const until = new Date(clock.now().getTime() - IDEMPOTENCY_MS);
  const statement = {
    text: `delete from idempotency_record where (tenant_id, scope_digest) in
             (select tenant_id, scope_digest from idempotency_record where created_at <= $1 limit ${STEP_ROWS})`,
    values: [until],
  };
  let removed: number;
  do {
    removed = await db.acrossTenants(
      'remove old idempotency records',
      systemActor('housekeeping'),
      (across) => across.write(statement),
    );
  } while (removed === STEP_ROWS);
}
