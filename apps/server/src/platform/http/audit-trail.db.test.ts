import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser, databaseUrl } from '#test/template.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const operator = await api.operator();
const PATH = '/api/settings/api-clients';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const traced = { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } };

const entries = (where: string, values: unknown[]) =>
  asSuperuser(
    api.cluster,
    async (sql) => (await sql.query(`select * from audit_log where ${where} order by id`, values)).rows,
    api.databaseName,
  );
const countOf = async (): Promise<number> => (await entries('true', [])).length;

describe('Every write leaves who did what, when, from where, and what it was before and after', () => {
  it('for the whole life of an API client, without its secrets', async () => {
    const { body } = await tenant.client.post(PATH, { name: 'Shop' }, traced);
    await tenant.client.put(`${PATH}/${body.id}`, { name: 'Store' }, traced);
    const rotated = await tenant.client.post(`${PATH}/${body.id}/rotate-secret`, undefined, traced);
    await tenant.client.delete(`${PATH}/${body.id}`, traced);
    const rows = await entries('resource_id = $1', [body.id]);
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['apiClient.created', 'apiClient.updated', 'apiClient.secretRotated', 'apiClient.revoked'],
    );
    const [actor] = await asSuperuser(
      api.cluster,
      async (sql) =>
        (await sql.query('select id, name from api_client where client_id = $1', [tenant.clientId])).rows,
      api.databaseName,
    );
    for (const row of rows) {
      assert.deepEqual(
        [row.tenant_id, row.actor_kind, row.actor_id, row.actor_name],
        [tenant.id, 'client', actor.id, actor.name],
      );
      assert.deepEqual(
        [row.at.toISOString(), row.ip_address, row.trace_id],
        [api.clock.now().toISOString(), '127.0.0.1', TRACE],
      );
    }
    assert.deepEqual(
      rows.map(({ before, after }) => [before?.name, after?.name]),
      [
        [undefined, 'Shop'],
        ['Shop', 'Store'],
        ['Store', 'Store'],
        ['Store', undefined],
      ],
    );
    for (const secret of [body.clientSecret, rotated.body.clientSecret])
      assert.ok(!JSON.stringify(rows).includes(secret));
  });

  it('for workspaces, in the log of the operators', async () => {
    const other = await api.newTenant();
    await operator.put(`/tenants/${other.id}`, { status: 'suspended' });
    const rows = await entries('resource_id = $1', [other.id]);
    assert.deepEqual(
      rows.map(({ action, before, after }) => [action, before?.status, after?.status]),
      [
        ['tenant.created', undefined, 'active'],
        ['tenant.updated', 'active', 'suspended'],
      ],
    );
    for (const row of rows) assert.equal(row.tenant_id, await api.platform.db.platformTenantId());
    const inside = await entries('tenant_id = $1', [other.id]);
    assert.deepEqual(
      new Set(inside.map(({ action }) => action)),
      new Set(['role.builtInsCreated', 'person.created', 'apiClient.created']),
    );
  });

  it('and whoever looks across workspaces leaves the reason', async () => {
    const before = await countOf();
    await operator.get('/tenants');
    const rows = await entries('true', []);
    assert.equal(rows.length, before + 1);
    assert.deepEqual([rows.at(-1)?.action, rows.at(-1)?.reason], ['platform.acrossTenants', 'listTenants']);
  });
});

it('A refused write leaves nothing', async () => {
  const { body } = await tenant.client.post(PATH, { name: 'Shop' });
  const before = await countOf();
  const stale = { headers: { 'if-match': '"99"' } };
  const refused = [
    await tenant.client.post(PATH, { name: '' }),
    await tenant.client.post(PATH, { name: 'X', roles: ['0190a000-0000-7000-8000-000000000000'] }),
    await tenant.client.put(`${PATH}/${body.id}`, { name: 'X' }, stale),
    await tenant.client.delete(`${PATH}/${body.id}`, stale),
    await tenant.client.post('/tenants', { name: 'X' }),
    await operator.post('/tenants', {
      name: 'X',
      subdomain: tenant.subdomain,
      administrator: { email: 'a@b.example', name: 'A' },
    }),
    await operator.put(`/tenants/${tenant.testingId}`, { name: 'X' }),
  ];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [400, 422, 412, 412, 403, 409, 409],
  );
  assert.equal(await countOf(), before);
});

describe('The audit log is written once', () => {
  for (const [role, url] of [
    ['the application', api.cluster.appUrl],
    ['the owner', api.cluster.ownerUrl],
  ] as const) {
    for (const statement of [
      'update audit_log set actor_name = $$nobody$$',
      'delete from audit_log',
      'truncate audit_log',
    ]) {
      it(`${role} cannot ${statement.split(' ', 1)[0]} it`, async () => {
        const client = new pg.Client({ connectionString: databaseUrl(url, api.databaseName) });
        await client.connect();
        try {
          await client.query(`select set_config('app.tenant_id', $1, false)`, [tenant.id]);
          await assert.rejects(client.query(statement), { code: '42501' });
        } finally {
          await client.end();
        }
      });
    }
  }
});
