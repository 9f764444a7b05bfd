import pg from 'pg';
import { StartError } from '#platform/start-error.ts';

const CLAIM = 7_352_003;

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
  await client.connect();
  const { rows } = await client.query<{ claimed: boolean }>('select pg_try_advisory_lock($1) as claimed', [
    CLAIM,
  ]);
  if (rows[0]?.claimed === true) return client;
  const holder = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and objid = $1 and granted`,
    [CLAIM],
  );
  await client.end();
  const pid = /\d+$/.exec(holder.rows[0]?.name ?? '')?.[0];
  throw new StartError(
    `Another Tenantry${pid === undefined ? '' : ` (process ${pid})`} is running on ${dataDir}. Stop it first, or give this one its own TENANTRY_DATA_DIR.`,
  );
}
