import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { advisoryLocks } from '#platform/db/advisory-locks.ts';
import { isAlive } from '#platform/postgres/postmaster.ts';
import { StartError } from '#platform/start-error.ts';

/** How long PostgreSQL may take to notice that the server which had the claim is dead. */
const DEAD_HOLDER_MS = 5_000;

export class DataDirectoryTaken extends StartError {}

/**
 * One server to a data directory. The claim is a lock of a database session, so it ends with the process that holds
 * it, however that ends, and no stale file can keep the next start out.
 */
export async function claimDataDirectory(url: string, dataDir: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    keepAlive: true,
    application_name: `tenantry server ${process.pid}`,
  });
  client.on('error', () => {}); // the database went away; whoever queries it will tell
  try {
    await client.connect();
    const deadline = Date.now() + DEAD_HOLDER_MS;
    while (!(await tryClaim(client))) {
      const pid = await holderOf(client);
      const isGone = pid !== undefined && !(await isAlive(pid)); // killed a moment ago: its session ends any time now
      if (!isGone || Date.now() > deadline) throw taken(dataDir, pid);
      await sleep(50);
    }
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function tryClaim(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ claimed: boolean }>('select pg_try_advisory_lock($1) as claimed', [
    advisoryLocks.dataDirectory,
  ]);
  return rows[0]?.claimed === true;
}

async function holderOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and objid = $1 and granted`,
    [advisoryLocks.dataDirectory],
  );
  const digits = /\d+$/.exec(rows[0]?.name ?? '')?.[0];
  return digits === undefined ? undefined : Number(digits);
}

const taken = (dataDir: string, pid: number | undefined): DataDirectoryTaken =>
  new DataDirectoryTaken(
    `Another Tenantry${pid === undefined ? '' : ` (process ${pid})`} is running on ${dataDir}. Stop it first, or give this one its own TENANTRY_DATA_DIR.`,
  );
