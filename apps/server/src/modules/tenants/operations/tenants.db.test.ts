import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

const api = await openTestApi();
const operator = await api.operator();
const sql = (text: string, values: unknown[] = []) =>
  asSuperuser(api.cluster, async (client) => (await client.query(text, values)).rows, api.databaseName);
const asked = (subdomain: string, more: object = {}) => ({
  name: subdomain,
  subdomain,
  administrator: { email: `ada@${subdomain}.example`, name: 'Ada' },
  ...more,
});

describe('A new workspace', () => {
  it('comes with its twin, an administrator and two clients that each reach their own', async () => {
    const { status, body, headers } = await operator.post('/tenants', asked('acme'));
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/tenants/${body.tenant.id}`);
    assert.deepEqual(Object.keys(body).sort(), [
      'administrator',
      'client',
      'tenant',
      'testing',
      'testingClient',
    ]);
    const { tenant, testing } = body;
    const now = api.clock.now().toISOString();
    assert.deepEqual(
      { ...tenant, id: '', subscription: { ...tenant.subscription, renewsAt: '' } },
      {
        id: '',
        name: 'acme',
        subdomain: 'acme',
        kind: 'production',
        productionTenantId: null,
        status: 'active',
        tier: 'standard',
        subscription: { plan: 'standard', status: 'active', startedAt: now, trialEndsAt: null, renewsAt: '' },
        timeZone: 'UTC',
        locale: 'en',
        version: 1,
        createdAt: now,
        updatedAt: now,
      },
    );
    assert.deepEqual(
      [testing.kind, testing.productionTenantId, testing.subdomain, testing.tier],
      ['testing', tenant.id, 'acme-testing', 'standard'],
    );
    for (const [credentials, own] of [
      [body.client, tenant],
      [body.testingClient, testing],
    ]) {
      const client = await api.signIn(credentials.clientId, credentials.clientSecret);
      const list = await client.get('/tenants');
      assert.deepEqual([list.body.totalCount, list.body.items], [1, [own]]);
    }
    const people = await sql(
      'select tenant_id, email, password_hash, must_change_password from person where tenant_id in ($1, $2)',
      [tenant.id, testing.id],
    );
    assert.equal(people.length, 1);
    assert.deepEqual(
      [people[0].tenant_id, people[0].email, people[0].must_change_password],
      [tenant.id, 'ada@acme.example', true],
    );
    assert.match(people[0].password_hash, /argon2id/);
    assert.ok(body.administrator.temporaryPassword.length >= 12);
  });

  it('on trial ends it after 14 days', async () => {
    const { body } = await operator.post('/tenants', asked('trying', { plan: 'trial' }));
    const { trialEndsAt, startedAt, status } = body.tenant.subscription;
    assert.equal(Date.parse(trialEndsAt) - Date.parse(startedAt), 14 * 24 * 60 * 60 * 1000);
    assert.equal(status, 'trialing');
  });

  it('with a subdomain that is taken is refused, and leaves nothing behind', async () => {
    await operator.post('/tenants', asked('taken'));
    const count = () =>
      sql(
        'select (select count(*) from tenant) t, (select count(*) from role) r, (select count(*) from api_client) c, (select count(*) from person) p, (select count(*) from audit_log) a',
      );
    const before = await count();
    const reply = await operator.post('/tenants', asked('taken'));
    assert.equal(reply.status, 409);
    assert.match(reply.body.type, /\/problems\/subdomain-taken$/);
    assert.deepEqual(await count(), before);
  });

  it('is made once of two at the same moment', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => operator.post('/tenants', asked('race'))));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409]);
    assert.equal((await operator.get('/tenants?q=race')).body.totalCount, 2);
  });

  it('has no name that is reserved or not a name', async () => {
    for (const subdomain of [
      'admin',
      'api',
      'www',
      'platform',
      'acme-testing',
      'Acme',
      'a',
      'a--b',
      '-ab',
      'ab-',
      '1ab',
      'a.b',
      'ä-b',
      'x'.repeat(51),
      'abc\n',
    ]) {
      const reply = await operator.post('/tenants', { ...asked('valid'), subdomain });
      assert.equal(reply.status, 400, subdomain);
      assert.deepEqual(Object.keys(reply.body.errors), ['/subdomain']);
    }
  });

  it('has everything that it needs, or all that is missing is told at once', async () => {
    const reply = await operator.post('/tenants', { plan: 'gold', administrator: { email: 'nobody' }, x: 1 });
    assert.equal(reply.status, 400);
    assert.deepEqual(Object.keys(reply.body.errors).sort(), [
      '/administrator/email',
      '/administrator/name',
      '/name',
      '/plan',
      '/subdomain',
      '/x',
    ]);
  });
});

describe('A workspace sees', () => {
  it('itself and no other: 403 for one that there is, its own twin included, 404 for one that there is not', async () => {
    const own = await api.newTenant();
    const rival = await api.newTenant();
    assert.equal((await own.client.get(`/tenants/${own.id}`)).body.subdomain, own.subdomain);
    assert.equal((await own.client.get(`/tenants/${own.id.toUpperCase()}`)).status, 200);
    for (const id of [rival.id, rival.testingId, own.testingId, await api.platform.db.platformTenantId()]) {
      const reply = await own.client.get(`/tenants/${id}`);
      assert.equal(reply.status, 403);
      assert.match(reply.body.type, /\/problems\/other-tenant$/);
      assert.ok(!reply.text.includes(rival.subdomain));
    }
    for (const id of [
      '0190a000-0000-7000-8000-000000000000',
      '00000000-0000-0000-0000-000000000000',
      'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    ]) {
      assert.equal((await own.client.get(`/tenants/${id}`)).status, 404);
    }
    for (const query of ['q=t', 'kind=testing', `q=${rival.subdomain}`, 'sortBy=createdAt']) {
      const { body } = await own.client.get(`/tenants?${query}`);
      assert.ok(body.totalCount <= 1);
      assert.ok(!JSON.stringify(body).includes(rival.id));
    }
  });

  it('none but an operator sees all, by every filter', async () => {
    const big = await api.newTenant({ tier: 'enterprise' });
    for (const [query, ids] of [
      [`q=${big.subdomain.toUpperCase()}`, [big.id, big.testingId]],
      [`q=${big.subdomain}&kind=production`, [big.id]],
      [`q=${big.subdomain}&kind=testing&tier=enterprise&status=active`, [big.testingId]],
      [`q=${big.subdomain}&tier=standard`, []],
      [`q=${big.subdomain}&status=suspended`, []],
    ] as const) {
      const { body } = await operator.get(`/tenants?${query}`);
      assert.deepEqual(body.items.map(({ id }: { id: string }) => id).sort(), [...ids].sort(), query);
      assert.equal(body.totalCount, ids.length);
    }
    const [{ count }] = await sql('select count(*)::int from tenant');
    assert.equal((await operator.get('/tenants?pageSize=1')).body.totalCount, count);
    assert.equal((await operator.get(`/tenants/${big.testingId}`)).status, 200);
  });
});

describe('A suspension', () => {
  it('shuts out both twins with the reply, and an activation lets them in again', async () => {
    const tenant = await api.newTenant();
    const twin = await api.signIn(tenant.testingClientId, tenant.testingClientSecret);
    const clients = [tenant.client, twin];
    for (const client of clients) assert.equal((await client.get('/tenants')).status, 200);
    assert.equal((await operator.put(`/tenants/${tenant.id}`, { status: 'suspended' })).status, 200);
    for (const client of clients) {
      for (const reply of [
        await client.get('/tenants'),
        await client.post('/api/settings/api-clients', { name: 'Shop' }),
      ]) {
        assert.equal(reply.status, 403);
        assert.match(reply.body.type, /\/problems\/tenant-suspended$/);
      }
    }
    await operator.put(`/tenants/${tenant.id}`, { status: 'active' });
    for (const client of clients) assert.equal((await client.get('/tenants')).status, 200);
  });

  it('never meets the workspace of the operators', async () => {
    const reply = await operator.put(`/tenants/${await api.platform.db.platformTenantId()}`, {
      status: 'suspended',
    });
    assert.equal(reply.status, 409);
    assert.match(reply.body.type, /\/problems\/platform-tenant$/);
  });
});

describe('A change of a workspace', () => {
  it('is followed by its twin, which cannot be changed by itself', async () => {
    const tenant = await api.newTenant();
    const reply = await operator.put(`/tenants/${tenant.id.toUpperCase()}`, {
      name: 'New',
      plan: 'enterprise',
      tier: 'enterprise',
    });
    assert.equal(reply.status, 200, reply.text);
    const { body: twin } = await operator.get(`/tenants/${tenant.testingId}`);
    assert.deepEqual(
      [twin.name, twin.subscription.plan, twin.tier],
      ['New (testing)', 'enterprise', 'enterprise'],
    );
    const refused = await operator.put(`/tenants/${tenant.testingId}`, { name: 'Other' });
    assert.equal(refused.status, 409);
    assert.match(refused.body.type, /\/problems\/testing-twin$/);
  });

  it('ends a trial when it ends the plan', async () => {
    const { body } = await operator.post('/tenants', asked('leaving', { plan: 'trial' }));
    const changed = await operator.put(`/tenants/${body.tenant.id}`, { plan: 'standard' });
    const { status, trialEndsAt, renewsAt } = changed.body.subscription;
    assert.deepEqual([status, trialEndsAt, typeof renewsAt], ['active', null, 'string']);
  });

  it('needs a workspace that there is', async () => {
    assert.equal(
      (await operator.put('/tenants/0190a000-0000-7000-8000-000000000000', { name: 'X' })).status,
      404,
    );
  });
});
