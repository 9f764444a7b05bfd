import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '#platform/db/migrate.ts';
import { openCluster } from '#platform/postgres/cluster.ts';
import { createRolesAndDatabase } from '../src/start/embedded-roles.ts';

/** Migrates an empty database and hands it over as its owner. */
export async function withFreshDatabase<T>(
  folder: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const cluster = await openCluster({
    dataDir: join(folder, 'data'),
    superuserPassword: 'generate',
    settings: { fsync: 'off' },
    log: () => {},
  });
  try {
    await createRolesAndDatabase(cluster.url('postgres', 'generate', 'postgres'), {
      ownerPassword: 'generate',
      appPassword: 'generate',
    });
    const ownerUrl = cluster.url('tenantry_owner', 'generate', 'tenantry');
    await migrate(ownerUrl);
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  } finally {
    await cluster.stop();
  }
}
