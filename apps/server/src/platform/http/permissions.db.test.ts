import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const PATH = '/api/settings/api-clients';

const roleOf = (tenantId: string, name: string): Promise<string> =>
  asSuperuser(
    api.cluster,
    async (sql) =>
      (await sql.query('select id from role where tenant_id = $1 and name = $2', [tenantId, name])).rows[0]
        .id,
    api.databaseName,
  );

/** A client of the workspace that has this role only. */
async function restricted(
  owner: TestClient,
  tenantId: string,
  role: string,
): Promise<TestClient & { id?: string }> {
  const { body } = await owner.post(PATH, { name: role, roles: [await roleOf(tenantId, role)] });
  return api.signIn(body.clientId, body.clientSecret);
}

const platformTenant = await api.platform.db.platformTenantId();
const operator = await api.operator();

describe('A client with a role may do what the role says', () => {
  it('and is told which permission it lacks for the rest', async () => {
    const viewer = await restricted(tenant.client, tenant.id, 'viewer');
    assert.equal((await viewer.get(PATH)).status, 200);
    const reply = await viewer.post(PATH, { name: 'Shop' });
    assert.equal(reply.status, 403);
    assert.match(reply.body.type, /\/problems\/permission-denied$/);
    assert.match(reply.body.detail, /settings\.write/);
    const accountant = await restricted(tenant.client, tenant.id, 'accountant');
    assert.match((await accountant.get(PATH)).body.detail, /settings\.read/);
  });

  it('on every route that names a permission, before anything else of the request is looked at', async () => {
    const accountant = await restricted(tenant.client, tenant.id, 'accountant');
    for (const route of api.routes.filter(({ permission }) => permission?.startsWith('settings.'))) {
      const address = route.path.replaceAll(/\{\w+\}/g, 'not-an-id');
      const reply = await accountant.send(route.method, address, route.method === 'GET' ? undefined : '{');
      assert.equal(reply.status, 403, `${route.method} ${route.path}: ${reply.text}`);
      assert.ok(reply.body.detail.includes(String(route.permission)));
    }
  });

  it('until it loses the role, which works with the reply', async () => {
    const roles = [await roleOf(tenant.id, 'viewer')];
    const { body } = await tenant.client.post(PATH, { name: 'Shop' });
    const shop = await api.signIn(body.clientId, body.clientSecret);
    assert.equal((await shop.post(PATH, { name: 'Other' })).status, 201);
    await tenant.client.put(`${PATH}/${body.id}`, { roles });
    assert.equal((await shop.post(PATH, { name: 'Another' })).status, 403);
  });
});

describe('What is for operators', () => {
  it('is closed to every principal of a tenant', async () => {
    const twin = await api.signIn(tenant.testingClientId, tenant.testingClientSecret);
    for (const route of api.routes.filter(({ access }) => access === 'operator')) {
      for (const client of [tenant.client, twin]) {
        const reply = await client.send(
          route.method,
          route.path.replace('{id}', tenant.id),
          route.example as object | undefined,
        );
        assert.equal(reply.status, 403, `${route.method} ${route.path}`);
        assert.match(reply.body.detail, /platform\.operate/);
      }
    }
  });

  it('is closed to a client of the platform workspace with an ordinary role, even the owner', async () => {
    for (const role of ['owner', 'administrator', 'viewer']) {
      const client = await restricted(operator, platformTenant, role);
      assert.equal((await client.get('/api/system/info')).status, 403);
      assert.equal((await client.get('/tenants')).body.totalCount, 1);
    }
  });
});

describe('Nobody gives away a permission that they do not hold', () => {
  async function assertBeyond(reply: Promise<{ status: number; body: { type: string } }>): Promise<void> {
    const { status, body } = await reply;
    assert.equal(status, 403);
    assert.match(body.type, /\/problems\/beyond-own-permissions$/);
  }

  it('by a new client, with a greater role or with none, which means everything', async () => {
    const administrator = await restricted(tenant.client, tenant.id, 'administrator');
    const owner = await roleOf(tenant.id, 'owner');
    const viewer = await roleOf(tenant.id, 'viewer');
    await assertBeyond(administrator.post(PATH, { name: 'Shop' }));
    await assertBeyond(administrator.post(PATH, { name: 'Shop', roles: [] }));
    await assertBeyond(administrator.post(PATH, { name: 'Shop', roles: [viewer, owner] }));
    assert.equal((await administrator.post(PATH, { name: 'Shop', roles: [viewer] })).status, 201);
  });

  it('by widening a client, or by a new secret of a mightier one', async () => {
    const administrator = await restricted(tenant.client, tenant.id, 'administrator');
    const viewer = await roleOf(tenant.id, 'viewer');
    const { body: small } = await administrator.post(PATH, { name: 'Small', roles: [viewer] });
    const { body: mighty } = await tenant.client.post(PATH, { name: 'Mighty' });
    await assertBeyond(administrator.put(`${PATH}/${small.id}`, { roles: [] }));
    await assertBeyond(
      administrator.put(`${PATH}/${small.id}`, { roles: [await roleOf(tenant.id, 'owner')] }),
    );
    await assertBeyond(administrator.post(`${PATH}/${mighty.id}/rotate-secret`));
    await assertBeyond(administrator.put(`${PATH}/${mighty.id}`, { status: 'disabled' }));
    assert.equal((await administrator.post(`${PATH}/${small.id}/rotate-secret`)).status, 200);
    assert.deepEqual((await tenant.client.get(`${PATH}/${small.id}`)).body.roles, [viewer]);
  });

  it('not even the owner of the platform workspace, who would make an operator', async () => {
    const owner = await restricted(operator, platformTenant, 'owner');
    await assertBeyond(owner.post(PATH, { name: 'Operator' }));
    const { body } = await operator.get(`${PATH}?pageSize=100`);
    const unrestricted = body.items.find(({ roles }: { roles: string[] }) => roles.length === 0);
    await assertBeyond(owner.post(`${PATH}/${unrestricted.id}/rotate-secret`));
    assert.equal((await operator.post(PATH, { name: 'Operator' })).status, 201);
  });

  it('and a role of another workspace is unknown', async () => {
    const rival = await api.newTenant();
    const reply = await tenant.client.post(PATH, { name: 'Shop', roles: [await roleOf(rival.id, 'viewer')] });
    assert.equal(reply.status, 422);
    assert.deepEqual(Object.keys(reply.body.errors), ['/roles']);
  });
});
