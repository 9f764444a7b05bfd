import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { openCluster } from '#platform/postgres/cluster.ts';
import { StartError } from '#platform/start-error.ts';
import { createRolesAndDatabase } from '../../start/embedded-roles.ts';
import { checkApplicationRole, migrate } from './migrate.ts';

/** Roles belong to the whole cluster, and other tests are using theirs: so this one has a cluster of its own. */
const folder = await mkdtemp(join(tmpdir(), 'tenantry-roles-'));
await chmod(folder, 0o711); // or root's cluster would be made elsewhere, and stay there
const binDir = process.env.TEST_POSTGRES_BIN;
const cluster = await openCluster({
  dataDir: join(folder, 'data'),
  superuserPassword: 'test',
  settings: { fsync: 'off' },
  log: () => {},
  ...(binDir === undefined ? {} : { binDir }),
});
after(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

const superuserUrl = cluster.url('postgres', 'test', 'postgres');
const appUrl = cluster.url('tenantry_app', 'test', 'tenantry');
await createRolesAndDatabase(superuserUrl, { ownerPassword: 'test', appPassword: 'test' });
await migrate(cluster.url('tenantry_owner', 'test', 'tenantry'));

async function sql(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof StartError && /connects as tenantry_app, which may not serve/.test(error.message);

/** From version 16 on it is the membership that inherits, before that the role. */
const perGrant = (await sql('show server_version_num')).rows[0].server_version_num >= 160_000;

const cases: readonly (readonly [name: string, damage: string, repair: string])[] = [
  ['is a superuser', 'alter role tenantry_app superuser', 'alter role tenantry_app nosuperuser'],
  ['bypasses row security', 'alter role tenantry_app bypassrls', 'alter role tenantry_app nobypassrls'],
  perGrant
    ? [
        'inherits the role that sees all tenants',
        'grant tenantry_across to tenantry_app with inherit true granted by tenantry_owner',
        'grant tenantry_across to tenantry_app with inherit false granted by tenantry_owner',
      ]
    : [
        'inherits the role that sees all tenants',
        'alter role tenantry_app inherit',
        'alter role tenantry_app noinherit',
      ],
];

describe('The role tenantry_app', () => {
  it('is let in as an administrator makes it by the book', () => checkApplicationRole(appUrl));

  for (const [name, damage, repair] of cases) {
    it(`is refused when it ${name}`, async () => {
      await sql(damage);
      await assert.rejects(checkApplicationRole(appUrl), isRefusal);
      await sql(repair);
      await checkApplicationRole(appUrl);
    });
  }
});
