import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import type { TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';
import { removeOldIdempotencyRecords } from '../../start/housekeeping.ts';

const HOUR_MS = 60 * 60 * 1000;
// Tokens live by the true time and records by the settable one, so tokens must outlive the jumps below.
const api = await openTestApi({ tokenLifetimeSeconds: 30 * 24 * 60 * 60 });
const PATH = '/api/settings/api-clients';
const SHOP = { name: 'Shop' };

const sql = (text: string, values: unknown[] = []) =>
  asSuperuser(api.cluster, async (client) => (await client.query(text, values)).rows, api.databaseName);
const create = (client: TestClient, key: string, body: unknown = SHOP, path = PATH) =>
  client.post(path, body, { headers: { 'idempotency-key': key } });
const countOf = async (client: TestClient): Promise<number> =>
  (await client.get(`${PATH}?q=Shop`)).body.totalCount;

describe('A request that is sent again under its Idempotency-Key', () => {
  it('has one effect and the same answer, 20 times at once included', async () => {
    const { client } = await api.newTenant();
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(client, 'parallel')));
    assert.equal(await countOf(client), 1);
    const made = replies.filter(({ status }) => status === 201);
    assert.equal(made.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.equal(new Set(made.map(({ text }) => text)).size, 1);
    for (const { status, body, headers } of replies) {
      if (status === 201) continue;
      assert.equal(status, 409);
      assert.match(body.type, /\/problems\/idempotency-in-progress$/);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    }
  });

  it('is answered with the same status, body, Location and ETag, and marked as replayed', async () => {
    const { client } = await api.newTenant();
    const first = await create(client, 'again');
    const second = await create(client, 'again');
    assert.equal(first.headers.get('idempotent-replayed'), null);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(second.status, 201);
    assert.equal(second.text, first.text);
    for (const name of ['location', 'etag']) assert.equal(second.headers.get(name), first.headers.get(name));
    assert.equal(await countOf(client), 1);
  });

  it('is the same request under /api/v1', async () => {
    const { client } = await api.newTenant();
    const first = await create(client, 'spelling');
    const second = await create(client, 'spelling', SHOP, '/api/v1/settings/api-clients');
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(second.text, first.text);
  });

  it('is the same request in any other spelling of its address', async () => {
    const { client } = await api.newTenant();
    const first = await create(client, 'encoded');
    for (const path of ['/api/settings/api%2Dclients', '/api/v1/settings/api-client%73']) {
      const again = await create(client, 'encoded', SHOP, path);
      assert.equal(again.headers.get('idempotent-replayed'), 'true', path);
      assert.equal(again.text, first.text);
    }
    assert.equal(await countOf(client), 1);

    const rotate = (id: string) => create(client, 'rotated', {}, `${PATH}/${id}/rotate-secret`);
    const { status, text } = await rotate(first.body.id);
    assert.equal(status, 200, text);
    assert.equal((await rotate(first.body.id.toUpperCase())).text, text);
  });

  it('is told to wait while the first still runs', async () => {
    const { client } = await api.newTenant();
    await asSuperuser(
      api.cluster,
      async (blocker) => {
        await blocker.query('begin');
        await blocker.query('lock table api_client in share mode');
        const running = create(client, 'slow');
        for (let waiting = 0; waiting === 0; await after(5)) {
          const { rows } = await blocker.query(
            `select 1 from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
          );
          waiting = rows.length;
        }
        const refused = await create(client, 'slow');
        assert.equal(refused.status, 409);
        assert.match(refused.body.type, /\/problems\/idempotency-in-progress$/);
        await blocker.query('commit');
        assert.equal((await running).status, 201);
        assert.equal((await create(client, 'slow')).headers.get('idempotent-replayed'), 'true');
      },
      api.databaseName,
    );
  });

  it('with another body is refused with 422 and changes nothing', async () => {
    const { client } = await api.newTenant();
    await create(client, 'other');
    const reply = await create(client, 'other', { name: 'Shop 2' });
    assert.equal(reply.status, 422);
    assert.match(reply.body.type, /\/problems\/idempotency-key-reused$/);
    assert.equal(await countOf(client), 1);
  });
});

describe('The same key stands for another request', () => {
  it('of another client, another tenant or its twin', async () => {
    const tenant = await api.newTenant();
    const { body } = await tenant.client.post(PATH, { name: 'Second' });
    const clients = [
      tenant.client,
      await api.signIn(body.clientId, body.clientSecret),
      await api.signIn(tenant.testingClientId, tenant.testingClientSecret),
      (await api.newTenant()).client,
    ];
    const ids = new Set<string>();
    for (const client of clients) {
      const reply = await create(client, 'shared');
      assert.equal(reply.status, 201);
      assert.equal(reply.headers.get('idempotent-replayed'), null);
      ids.add(reply.body.id);
    }
    assert.equal(ids.size, 4);
  });

  it('at another path', async () => {
    const { client } = await api.newTenant();
    const { body } = await create(client, 'path');
    const rotated = await create(client, 'path', { graceSeconds: 60 }, `${PATH}/${body.id}/rotate-secret`);
    assert.equal(rotated.status, 200, rotated.text);
    assert.notEqual(rotated.body.clientSecret, body.clientSecret);
  });
});

describe('What is kept of a request', () => {
  it('is nothing when it failed: it may be mended and sent again', async () => {
    const { client } = await api.newTenant();
    assert.equal((await create(client, 'failing', { name: '' })).status, 400);
    const unknown = { name: 'Shop', roles: ['0190a000-0000-7000-8000-000000000000'] };
    assert.equal((await create(client, 'failing', unknown)).status, 422);
    const reply = await create(client, 'failing');
    assert.equal(reply.status, 201);
    assert.equal(reply.headers.get('idempotent-replayed'), null);
  });

  it('is sealed: the secret that it holds is not in the row', async () => {
    const tenant = await api.newTenant();
    const { body } = await create(tenant.client, 'sealed');
    const [row] = await sql('select * from idempotency_record where tenant_id = $1', [tenant.id]);
    const bytes = Buffer.concat([row.reply, row.request_digest, row.scope_digest]);
    for (const text of [body.clientSecret, body.clientId, 'Shop', 'sealed'])
      assert.ok(!bytes.includes(text), text);
  });

  it('holds for 24 hours, and not longer', async () => {
    const { client } = await api.newTenant();
    const first = await create(client, 'day');
    api.clock.advance(24 * HOUR_MS - 1);
    assert.equal((await create(client, 'day')).text, first.text);
    api.clock.advance(1);
    const later = await create(client, 'day');
    assert.equal(later.headers.get('idempotent-replayed'), null);
    assert.notEqual(later.body.id, first.body.id);
    assert.equal((await create(client, 'day')).text, later.text);
  });

  it('is removed after that, and not before', async () => {
    const tenant = await api.newTenant();
    const keys = async () =>
      (await sql('select 1 from idempotency_record where tenant_id = $1', [tenant.id])).length;
    await create(tenant.client, 'old');
    api.clock.advance(12 * HOUR_MS);
    await create(tenant.client, 'new');
    api.clock.advance(12 * HOUR_MS - 1);
    await removeOldIdempotencyRecords(api.platform);
    assert.equal(await keys(), 2);
    api.clock.advance(1);
    await removeOldIdempotencyRecords(api.platform);
    assert.equal(await keys(), 1);
  });
});

it('An operator creates one workspace, however often the request is sent', async () => {
  const operator = await api.operator();
  const body = {
    name: 'Acme',
    subdomain: 'acme-once',
    administrator: { email: 'a@acme.example', name: 'Ada' },
  };
  const first = await create(operator, 'tenant', body, '/tenants');
  const second = await create(operator, 'tenant', body, '/api/v1/tenants');
  assert.equal(first.status, 201, first.text);
  assert.equal(second.text, first.text);
  assert.equal((await operator.get('/tenants?q=acme-once')).body.totalCount, 2);
});
