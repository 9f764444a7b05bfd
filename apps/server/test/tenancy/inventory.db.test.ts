import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cloneDatabase, openTestApi, testCluster } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';
import { platformTables, tenancyFaults } from './inventory.ts';
import { pathTables } from './path-tables.ts';

const cluster = testCluster();
const databaseName = await cloneDatabase(cluster);

/** What the checker says after the schema was damaged; nothing of the damage stays. */
const faultsAfter = (damage: string): Promise<string[]> =>
  asSuperuser(
    cluster,
    async (client) => {
      await client.query('begin');
      await client.query(damage);
      return tenancyFaults(client);
    },
    databaseName,
  );

describe('The inventory of tables', () => {
  it('has every table scoped to its tenant, or listed with a reason why not', async () => {
    assert.deepEqual(await asSuperuser(cluster, tenancyFaults, databaseName), []);
    for (const reason of Object.values(platformTables)) assert.match(reason, /\w+ \w+/);
  });

  it('has every table whose id stands in a path listed in path_resource', async () => {
    const api = await openTestApi();
    const { rows } = await asSuperuser(
      cluster,
      (client) => client.query('select table_name from path_resource'),
      databaseName,
    );
    const listed = rows.map(({ table_name }) => table_name as string);
    assert.deepEqual(
      pathTables(api.routes).filter((table) => !listed.includes(table)),
      [],
    );
  });

  const damages: readonly (readonly [damage: string, fault: RegExp])[] = [
    ['alter table role disable row level security', /^role has no row security$/],
    ['alter table role no force row level security', /^role does not force row security$/],
    ['create table stray (id uuid primary key)', /^stray has no tenant_id/],
    ['create table stray (tenant_id uuid, id uuid)', /^stray has no row security$/],
    ['create view stray as select * from role', /^stray is no table$/],
    ['alter table role alter tenant_id drop default', /^role.tenant_id has not the tenant as its default$/],
    ['alter table audit_log drop constraint audit_log_pkey', /^audit_log has no primary key$/],
    [
      'alter table idempotency_record drop constraint idempotency_record_pkey; alter table idempotency_record alter tenant_id drop not null',
      /tenant_id may be null$/,
    ],
    [
      'create unique index stray on person (email_key)',
      /^person: the unique index stray is not led by tenant_id$/,
    ],
    ['create unique index stray on person (lower(name), tenant_id)', /^person: the unique index stray/],
    ['drop policy own_tenant on person', /^person lacks the policy own_tenant$/],
    [
      'alter policy own_tenant on person using (true)',
      /^person: the policy own_tenant is not as it must be$/,
    ],
    ['alter policy own_tenant on person with check (true)', /^person: the policy own_tenant is not/],
    ['alter policy own_tenant on person to public', /^person: the policy own_tenant is not/],
    [
      `alter policy own_tenant on person using (tenant_id = current_setting('app.tenant_id', true)::uuid)`,
      /^person: the policy own_tenant/,
    ],
    [
      'create policy stray on person to tenantry_app using (true)',
      /^person: the policy stray is not as it must be$/,
    ],
    [
      'create unique index stray on role (id); alter table person_role add foreign key (role_id) references role (id)',
      /^person_role: the foreign key \w+ is not led/,
    ],
    ['drop index api_client_by_id', /^api_client is a path resource without an index on \(id\)$/],
    [`insert into path_resource values ('nothing')`, /^path_resource names nothing/],
    ['create sequence stray', /^stray is no table$/],
    ['alter role tenantry_search login', /^tenantry_search has an attribute/],
    ['grant tenantry_search to tenantry_app', /^tenantry_app may become tenantry_search$/],
    ['grant tenantry_across to tenantry_search', /^tenantry_search is a member of tenantry_across$/],
    ['grant select on person to tenantry_search', /^tenantry_search may SELECT person$/],
    ['grant update on product_search to tenantry_search', /^tenantry_search may UPDATE product_search$/],
    ['grant create on schema public to tenantry_search', /^tenantry_search may create in public$/],
    ['alter table role owner to tenantry_search', /^tenantry_search owns role$/],
    ['grant execute on function search_products to public', /^search_products of tenantry_search is not/],
    ['alter function search_products reset search_path', /^search_products of tenantry_search is not/],
    [
      'create policy search on person for select to tenantry_search using (true)',
      /^person: the policy search is not as it must be$/,
    ],
    [
      'alter policy search on product_search to tenantry_app',
      /^product_search: the policy search is not as it must be$/,
    ],
  ];
  for (const [damage, fault] of damages) {
    it(`would fail after: ${damage}`, async () => {
      const faults = await faultsAfter(damage);
      assert.ok(
        faults.some((each) => fault.test(each)),
        faults.join('\n'),
      );
    });
  }

  it('lets no role that the server connects as own anything', async () => {
    const { rows } = await asSuperuser(
      cluster,
      (client) =>
        client.query(`select relname as name from pg_class where relowner = 'tenantry_app'::regrole
                      union all select proname from pg_proc where proowner = 'tenantry_app'::regrole
                      union all select nspname from pg_namespace where nspowner = 'tenantry_app'::regrole`),
      databaseName,
    );
    assert.deepEqual(rows, []);
  });
});
