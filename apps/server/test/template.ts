import pg from 'pg';
import { systemClock } from '#kernel/clock.ts';
import { readSettings } from '#platform/config/settings.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openLog } from '#platform/observability/log.ts';
import { createPlatform } from '#platform/platform.ts';
import type { Cluster } from '#platform/postgres/cluster.ts';
import { createRolesAndDatabase } from '../src/start/embedded-roles.ts';
import { type FirstRun, firstRun } from '../src/start/first-run.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/** Not one of our settings, so not named like one. */
export const TEST_CLUSTER_VARIABLE = 'TEST_CLUSTER';
export const TEMPLATE = 'tenantry_template';
export const TEST_KEY = Buffer.alloc(32, 'tenantry test key');
export const TEST_BASE_URL = 'http://tenantry.test';

/** What a test file needs to know to clone a database for itself. */
export interface TestCluster {
  readonly superuserUrl: string;
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly operator: FirstRun['operator'];
}

/** Migrated and set up once: an operators' workspace and nothing else. A clone of it takes some 50 ms. */
export async function makeTemplate(cluster: Cluster): Promise<TestCluster> {
  const superuserUrl = cluster.url('postgres', 'test', 'postgres');
  await createRolesAndDatabase(superuserUrl, { ownerPassword: 'test', appPassword: 'test' }, TEMPLATE);
  const ownerUrl = cluster.url('tenantry_owner', 'test', TEMPLATE);
  const appUrl = cluster.url('tenantry_app', 'test', TEMPLATE);
  await migrate(ownerUrl);
  const { operator } = await setUp(appUrl);
  return { superuserUrl, ownerUrl, appUrl, operator };
}

async function setUp(appUrl: string): Promise<FirstRun> {
  const settings = readSettings({
    TENANTRY_DEMO: 'false',
    TENANTRY_BASE_URL: TEST_BASE_URL,
    TENANTRY_LOG_LEVEL: 'error',
  });
  const log = openLog(settings);
  const platform = createPlatform({
    settings,
    databaseUrl: appUrl,
    instanceKey: TEST_KEY,
    clock: systemClock,
    log,
  });
  try {
    await platform.db.announcements.listen();
    const made = await withTemporaryFolder((folder) => firstRun(platform, folder));
    if (made === undefined) throw new Error('the template was set up already');
    await platform.keys.rotate();
    return made;
  } finally {
    await platform.db.close();
  }
}

export const databaseUrl = (url: string, database: string): string => url.replace(/\/[^/]*$/, `/${database}`);

export async function asSuperuser<T>(
  cluster: TestCluster,
  work: (client: pg.Client) => Promise<T>,
  database = 'postgres',
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl(cluster.superuserUrl, database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
