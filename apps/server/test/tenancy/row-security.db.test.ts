import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { newId } from '#kernel/ids.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser, databaseUrl } from '#test/template.ts';
import { factories } from './factories.ts';
import { platformTables } from './inventory.ts';

const api = await openTestApi();
const ours = await api.newTenant();
const theirs = await api.newTenant();
const app = new pg.Client({ connectionString: databaseUrl(api.cluster.appUrl, api.databaseName) });
const CLIENTS = '/api/settings/api-clients';

const tenantTables = await asSuperuser(
  api.cluster,
  async (client) => {
    const { rows } = await client.query<{ tablename: string }>(
      `select tablename from pg_tables where schemaname = 'public' order by 1`,
    );
    return rows
      .map(({ tablename }) => tablename)
      .filter((name) => name === 'tenant' || !(name in platformTables));
  },
  api.databaseName,
);

/** Row security is asked row by row, so a table without rows would show nothing either way. */
async function fillTables(): Promise<void> {
  const { rows } = await asSuperuser(
    api.cluster,
    (client) => client.query('select id from role where tenant_id = $1 limit 1', [theirs.id]),
    api.databaseName,
  );
  const made = await theirs.client.post(
    CLIENTS,
    { name: 'With a role', roles: [rows[0].id] },
    { headers: { 'idempotency-key': 'fill' } },
  );
  assert.equal(made.status, 201, made.text);
  for (const make of Object.values(factories)) await make(theirs);
}

const rowsOf = async (table: string): Promise<number> =>
  (await app.query(`select * from ${table}`)).rows.length;

/** 42704: never set in this session; 22P02: set before, and empty since. */
const isRefused = (error: { code?: string }): boolean => error.code === '42704' || error.code === '22P02';

/** Runs the work as the tenant, and undoes it. */
async function asTenant<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  await app.query('begin');
  try {
    await app.query(`select set_config('app.tenant_id', $1, true)`, [tenantId]);
    return await work();
  } finally {
    await app.query('rollback');
  }
}

describe('The role that the server connects as', () => {
  before(async () => {
    await fillTables();
    await app.connect();
  });
  after(() => app.end());

  it('has rows to hide in every tenant table', async () => {
    assert.ok(tenantTables.length >= 9, tenantTables.join());
    for (const table of tenantTables) {
      const { rows } = await asSuperuser(
        api.cluster,
        (client) => client.query(`select from ${table}`),
        api.databaseName,
      );
      assert.ok(rows.length > 0, `${table} is empty`);
    }
  });

  it('reads nothing without a tenant: it gets an error', async () => {
    for (const table of tenantTables) await assert.rejects(rowsOf(table), isRefused, table);
  });

  it('reads nothing either after its session has had a tenant', async () => {
    for (const table of tenantTables) assert.ok((await asTenant(theirs.id, () => rowsOf(table))) > 0, table);
    for (const table of tenantTables) await assert.rejects(rowsOf(table), isRefused, table);
    await app.query(`select set_config('app.tenant_id', $1, false)`, [theirs.id]);
    await app.query('reset app.tenant_id');
    for (const table of tenantTables) await assert.rejects(rowsOf(table), isRefused, table);
  });

  it('reads nothing with a tenant that is no UUID, and no rows with one that does not exist', async () => {
    for (const table of tenantTables) {
      await assert.rejects(
        asTenant(`' or true --`, () => rowsOf(table)),
        isRefused,
        table,
      );
      assert.equal(await asTenant(newId(), () => rowsOf(table)), 0, table);
    }
  });

  it('sees its own rows and no others', async () => {
    for (const table of tenantTables) {
      const column = table === 'tenant' ? 'id' : 'tenant_id';
      const { rows } = await asTenant(theirs.id, () =>
        app.query(`select distinct ${column} as tenant from ${table}`),
      );
      assert.deepEqual(rows, [{ tenant: theirs.id }], table);
    }
  });

  it('cannot insert a row of another tenant, nor move one there', async () => {
    const insert = (tenantId: string) =>
      app.query(
        `insert into role (tenant_id, id, name, permissions, created_at, updated_at) values ($1, $2, 'X', '{}', now(), now())`,
        [tenantId, newId()],
      );
    await asTenant(ours.id, () => insert(ours.id));
    await assert.rejects(
      asTenant(ours.id, () => insert(theirs.id)),
      { code: '42501' },
    );
    await assert.rejects(
      asTenant(ours.id, () => app.query('update role set tenant_id = $1', [theirs.id])),
      { code: '42501' },
    );
  });

  it('changes and deletes nothing of another tenant', async () => {
    await asTenant(ours.id, async () => {
      const update = await app.query(`update api_client set name = 'taken' where tenant_id = $1`, [
        theirs.id,
      ]);
      const remove = await app.query('delete from api_client_secret where tenant_id = $1', [theirs.id]);
      assert.deepEqual([update.rowCount, remove.rowCount], [0, 0]);
    });
  });

  it('cannot refer to a row of another tenant', async () => {
    const { rows } = await asTenant(theirs.id, () => app.query('select id from role limit 1'));
    const own = await asTenant(ours.id, () => app.query('select id from api_client limit 1'));
    const link = () =>
      app.query('insert into api_client_role (api_client_id, role_id) values ($1, $2)', [
        own.rows[0].id,
        rows[0].id,
      ]);
    await assert.rejects(asTenant(ours.id, link), { code: '23503' });
  });

  it('cannot switch row security off', async () => {
    await app.query('begin; set local row_security = off');
    await app.query(`select set_config('app.tenant_id', $1, true)`, [ours.id]);
    await assert.rejects(rowsOf('role'), { code: '42501' });
    await app.query('rollback');
  });

  it('is no superuser, has no attribute above row security, and inherits no other role', async () => {
    const { rows } = await app.query(
      `select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as above,
              pg_has_role(current_user, 'tenantry_across', 'usage') as inherits,
              (select count(*)::int from pg_auth_members where member = 'tenantry_app'::regrole
                  and roleid <> 'tenantry_across'::regrole) as others
         from pg_roles where rolname = current_user`,
    );
    assert.deepEqual(rows, [{ above: false, inherits: false, others: 0 }]);
  });

  const forbidden: readonly string[] = [
    'create table public.stray (id int)',
    'create view public.stray as select 1',
    'create function public.stray() returns int language sql as $$ select 1 $$',
    'create schema stray',
    'create role stray',
    'create policy stray on role using (true)',
    'drop policy own_tenant on role',
    'alter table role disable row level security',
    'alter table role no force row level security',
    'alter table role owner to tenantry_app',
    'alter table audit_log disable trigger all',
    'set session_replication_role = replica',
    'set role tenantry_owner',
    'set role tenantry_search',
    'set session authorization tenantry_search',
    `alter function search_products set search_path = ''`,
    'alter policy search on product_search to tenantry_app',
    'update outbox_event set type = type',
    'delete from outbox_event',
    'delete from product',
    'update stock_movement set quantity = 1',
    'delete from stock_movement',
    'set session authorization tenantry_owner',
    'truncate role',
    'truncate audit_log',
    `select secure_tenant_table('role')`,
    `insert into tenant (id, name, subdomain, kind, plan, subscription_started_at, created_at, updated_at)
       values (gen_random_uuid(), 'X', 'stray', 'production', 'standard', now(), now(), now())`,
    `update tenant set status = 'active'`,
    'delete from tenant',
    `insert into instance (key_proof, platform_tenant_id) values ('x', gen_random_uuid())`,
    `update instance set key_proof = 'x'`,
    `insert into signing_key values ('x', '{}', '', now())`,
    'delete from signing_key',
    `insert into path_resource values ('signing_key')`,
    'delete from path_resource',
    'delete from schema_migration',
    'update audit_log set action = action',
    'delete from audit_log',
  ];
  for (const statement of forbidden) {
    it(`may not: ${statement.replace(/\s+/g, ' ')}`, async () => {
      await assert.rejects(
        asTenant(ours.id, () => app.query(statement)),
        { code: '42501' },
      );
    });
  }

  it('has nothing to grant: PostgreSQL warns and grants nothing', async () => {
    await app.query('grant select on role to public');
    const { rows } = await app.query(`select relacl::text as acl from pg_class where relname = 'role'`);
    assert.doesNotMatch(rows[0].acl, /[{,]=/);
  });

  it('does not mislead the functions of the platform by a table of its own', async () => {
    await app.query('begin');
    await app.query(
      'create temp table api_client as select null::uuid as tenant_id, null::uuid as id, null::text as client_id limit 0',
    );
    const { rows } = await app.query('select tenant_id from client_secrets($1)', [theirs.clientId]);
    await app.query('rollback');
    assert.equal(rows[0]?.tenant_id, theirs.id);
  });

  it('finds nothing by a search without a tenant, and its own alone though it asks with the keys of another', async () => {
    const { rows: stored } = await asTenant(theirs.id, () =>
      app.query('select product_id, sku, keys::text as keys from product_search limit 1'),
    );
    const [{ product_id, sku, keys }] = stored;
    const search = (alternative: string, term: string) =>
      app.query('select product_id from search_products($1, $2, $3, $4)', [
        [alternative],
        [term],
        [null],
        term,
      ]);
    const isTheirs = (row: { product_id: string }): boolean => row.product_id === product_id;
    await assert.rejects(search(keys, sku), isRefused);
    const own = await asTenant(theirs.id, () => search(keys, sku));
    assert.ok(own.rows.some(isTheirs));
    const ids = new Set<string>();
    for (const [alternative, term] of [
      [keys, sku],
      ['{}', sku],
      ['{}', ''],
    ] as const) {
      const { rows } = await asTenant(ours.id, () => search(alternative, term));
      for (const row of rows) ids.add(row.product_id);
    }
    const { rows: foreign } = await asSuperuser(
      api.cluster,
      (client) =>
        client.query('select from product where id = any($1) and tenant_id <> $2', [[...ids], ours.id]),
      api.databaseName,
    );
    assert.equal(foreign.length, 0);
  });

  it('does not mislead the search by tables and functions of its own', async () => {
    await app.query('begin');
    await app.query(`select set_config('app.tenant_id', $1, true)`, [ours.id]);
    await app.query(
      `create temp table product_search as select $1::uuid as tenant_id, $2::uuid as product_id, 'x' as sku, 'x' as name,
         'x' as barcode, '{}'::text[] as words, '{1}'::integer[] as keys`,
      [ours.id, newId()],
    );
    const { rows } = await app.query(`select * from search_products('{"{1}"}', '{x}', '{null}', 'x')`);
    await app.query('rollback');
    assert.deepEqual(rows, []);
  });

  it('asks where an id exists only of tables that may stand in a path', async () => {
    await assert.rejects(
      app.query(`select exists_in_other_tenant('audit_log', $1, $2)`, [newId(), ours.id]),
      /not a path resource/,
    );
    await assert.rejects(
      app.query(`select exists_in_other_tenant('role where true --', $1, $2)`, [newId(), ours.id]),
    );
  });
});
