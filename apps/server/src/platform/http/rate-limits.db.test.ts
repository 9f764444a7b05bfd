import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';

const api = await openTestApi({ rateLimitStandard: 10, rateLimitEnterprise: 20, rateBurstPercent: 20 });

/** How many requests are let through in a row before the first is not. */
async function letThrough(client: TestClient, most = 50): Promise<number> {
  for (let count = 0; count < most; count++) {
    if ((await client.get('/tenants')).status === 429) return count;
  }
  return most;
}

describe('A client is let through as often as its tier says, burst included, and no more', () => {
  it('standard: 10 and 20 %', async () => assert.equal(await letThrough((await api.newTenant()).client), 12));
  it('enterprise: its own number', async () => {
    assert.equal(await letThrough((await api.newTenant({ tier: 'enterprise' })).client), 24);
  });

  it('all at once as well', async () => {
    const { client } = await api.newTenant();
    const replies = await Promise.all(Array.from({ length: 40 }, () => client.get('/tenants')));
    assert.equal(replies.filter(({ status }) => status === 200).length, 12);
  });

  it('with a refusal that tells how long to wait', async () => {
    const { client } = await api.newTenant();
    await letThrough(client);
    const reply = await client.get('/tenants');
    assert.equal(reply.status, 429);
    assert.match(reply.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/);
    assert.match(reply.headers.get('ratelimit') ?? '', /^"client";r=0;t=\d+$/);
    assert.equal(reply.headers.get('ratelimit-policy'), '"client";q=12;w=60');
    assert.match(reply.body.type, /\/problems\/rate-limited$/);
  });
});

describe('A window is shared', () => {
  it('by all tokens of a client', async () => {
    const tenant = await api.newTenant();
    await letThrough(tenant.client);
    const again = await api.signIn(tenant.clientId, tenant.clientSecret);
    assert.equal((await again.get('/tenants')).status, 429);
  });

  it('by no two clients, and no two tenants, not even twins', async () => {
    const tenant = await api.newTenant();
    const { body } = await tenant.client.post('/api/settings/api-clients', { name: 'Shop' });
    await letThrough(tenant.client);
    const shop = await api.signIn(body.clientId, body.clientSecret);
    const twin = await api.signIn(tenant.testingClientId, tenant.testingClientSecret);
    const other = await api.newTenant();
    for (const client of [shop, twin, other.client]) assert.equal((await client.get('/tenants')).status, 200);
  });
});

it('Every answer to a known client tells what is left, refusals included', async () => {
  const { client } = await api.newTenant();
  const replies = [
    await client.get('/tenants'),
    await client.get('/tenants?page=0'),
    await client.get('/tenants/0190a000-0000-7000-8000-000000000000'),
    await client.get('/api/system/info'),
    await client.post('/api/settings/api-clients', '{'),
    await client.post('/api/settings/api-clients', 'x', { headers: { 'content-type': 'text/plain' } }),
    await client.post('/api/settings/api-clients', `"${'x'.repeat(1_048_576)}"`),
    await client.get('/tenants', { headers: { accept: 'text/html' } }),
  ];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 400, 404, 403, 400, 415, 413, 406],
  );
  replies.forEach((reply, index) => {
    assert.match(
      reply.headers.get('ratelimit') ?? '',
      new RegExp(`^"client";r=${11 - index};t=\\d+$`),
      String(reply.status),
    );
    assert.equal(reply.headers.get('ratelimit-policy'), '"client";q=12;w=60');
  });
});
