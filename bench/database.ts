import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openCluster } from '../apps/server/src/platform/postgres/cluster.ts';
import { createRolesAndDatabase } from '../apps/server/src/start/embedded-roles.ts';
import type { Cleanup } from './cleanup.ts';

/** A PostgreSQL with the settings of the embedded one, and in it the database `tenantry`, still empty. */
export interface BenchDatabase {
  readonly appUrl: string;
  readonly ownerUrl: string;
  superuserUrl(database: 'tenantry' | 'postgres'): string;
}

/** Opened here and not by the server, so that tenants can be filled past it. */
export async function openBenchDatabase(dataDir: string, cleanup: Cleanup): Promise<BenchDatabase> {
  const [superuserPassword, ownerPassword, appPassword] = [secret(), secret(), secret()];
  const opening = openCluster({ dataDir, superuserPassword, log: () => {} });
  cleanup.add(async () => (await opening.catch(() => undefined))?.stop());
  const cluster = await opening;
  const superuserUrl: BenchDatabase['superuserUrl'] = (database) =>
    cluster.url('postgres', superuserPassword, database);
  await createRolesAndDatabase(superuserUrl('postgres'), { ownerPassword, appPassword });
  return {
    appUrl: cluster.url('tenantry_app', appPassword, 'tenantry'),
    ownerUrl: cluster.url('tenantry_owner', ownerPassword, 'tenantry'),
    superuserUrl,
  };
}

const secret = (): string => randomBytes(16).toString('hex');

/** The superuser, whom row security lets see and write everything. */
export async function asSuperuser<T>(
  database: BenchDatabase,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: database.superuserUrl('tenantry') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The rows themselves; it throws where the kept count tells another number. */
export const countProducts = (database: BenchDatabase, tenantId: string): Promise<number> =>
  asSuperuser(database, async (client) => {
    const { rows } = await client.query<{ rows: number; kept: number }>(
      `select (select count(*) from product where tenant_id = $1)::integer as rows,
              (select coalesce(sum(count), 0) from kept_count where tenant_id = $1 and name = 'product')::integer as kept`,
      [tenantId],
    );
    const [found] = rows;
    if (found === undefined || found.rows !== found.kept)
      throw new Error(`there are ${found?.rows} products, and ${found?.kept} are kept as their count`);
    return found.rows;
  });
