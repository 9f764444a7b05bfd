import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientWith, UNKNOWN_ID } from '#test/behind-api.ts';
import { fetchToken, TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { behindCatalog, makeProduct, PRODUCTS, pathOf, productInput } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const { eventsOf, auditOf, tracesOf } = behindCatalog(api);
const second = await api.secondNode();
const clients = [
  client,
  new TestClient(second.origin, await fetchToken(second.origin, tenant.clientId, tenant.clientSecret)),
] as const;
const ifMatch = (etag: string) => ({ headers: { 'if-match': etag } });
const full = {
  description: 'For tea',
  kind: 'service',
  status: 'archived',
  unit: 'KGM',
  taxRate: '20',
  barcode: '96385074',
  category: 'Kitchen',
  tags: ['Blue', 'gift'],
  trackStock: true,
  stockPolicy: 'allow',
  reorderPoint: '3',
  metadata: { b: '1', a: '2' },
};

describe('A PUT', () => {
  it('replaces the content: what is left out gets its default', async () => {
    const before = await makeProduct(client, full);
    api.clock.advance(1_000);
    const sent = productInput({ sku: 'NEW', name: 'New', price: 3, currency: 'JPY' });
    const { status, body, headers, text } = await client.put(pathOf(before), sent, ifMatch('"1"'));
    assert.equal(status, 200, text);
    const { id, version, createdAt, updatedAt, ...blank } = await makeProduct(client);
    assert.deepEqual(body, {
      ...blank,
      ...sent,
      price: '3',
      id: before.id,
      version: 2,
      createdAt: before.createdAt,
      updatedAt: api.clock.now().toISOString(),
    });
    assert.equal(headers.get('etag'), '"2"');
    assert.deepEqual((await client.get(pathOf(before))).body, body);
    assert.deepEqual(await eventsOf(id), [
      { type: 'product.created', data: (await client.get(pathOf({ id }))).body },
    ]);
    const events = await eventsOf(before.id);
    assert.deepEqual(events, [
      { type: 'product.created', data: before },
      { type: 'product.updated', data: body },
    ]);
    assert.deepEqual((await auditOf(before.id)).sort(), ['product.created', 'product.updated']);
  });

  it('keeps the stock, also where it is no longer tracked', async () => {
    const before = await makeProduct(client, { trackStock: true, stockOnHand: '5' });
    const { body } = await client.put(pathOf(before), productInput({ sku: before.sku }));
    assert.deepEqual([body.stockOnHand, body.trackStock, body.version], ['5', false, 2]);
  });

  it('of the same content changes nothing and tells nobody', async () => {
    const made = await makeProduct(client, { ...full, price: '12.50', trackStock: true, stockOnHand: '4' });
    const { id, stockOnHand, version, createdAt, updatedAt, ...content } = made;
    const before = await tracesOf(tenant.id);
    api.clock.advance(1_000);
    for (const same of [
      content,
      made,
      { ...made, id: id.toUpperCase(), stockOnHand: 4 },
      { ...content, price: 12.5, taxRate: 20, reorderPoint: '3.000' },
      { ...content, price: '012.500000', metadata: { a: '2', b: '1' } },
      { ...content, name: ` ${content.name} `, tags: ['Blue', 'gift', 'BLUE'] },
    ]) {
      for (const extras of [{}, ifMatch(`"${version}"`)]) {
        const { status, body, headers, text } = await client.put(pathOf(made), same, extras);
        assert.equal(status, 200, text);
        assert.deepEqual(body, made);
        assert.equal(headers.get('etag'), `"${version}"`);
      }
    }
    assert.deepEqual(await tracesOf(tenant.id), before);
  });

  it('takes what the server keeps only as it is', async () => {
    const made = await makeProduct(client, { trackStock: true, stockOnHand: '4' });
    const wrong = {
      id: UNKNOWN_ID,
      stockOnHand: '5',
      version: 7,
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2020-01-01T00:00:00.000Z',
    };
    const { status, body } = await client.put(pathOf(made), { ...made, ...wrong });
    assert.equal(status, 400);
    assert.deepEqual(
      Object.keys(body.errors).sort(),
      Object.keys(wrong)
        .map((name) => `/${name}`)
        .sort(),
    );
    for (const [message] of Object.values(body.errors as Record<string, string[]>))
      assert.match(message ?? '', /read-only/);
    assert.deepEqual((await client.get(pathOf(made))).body, made);
  });

  it('may change the case of its own SKU, and may not take that of another', async () => {
    const made = await makeProduct(client, { sku: 'own-sku' });
    const other = await makeProduct(client, { sku: 'other-sku' });
    const renamed = await client.put(pathOf(made), { ...made, sku: 'OWN-SKU' });
    assert.deepEqual([renamed.status, renamed.body.sku], [200, 'OWN-SKU']);
    const before = await tracesOf(tenant.id);
    const refused = await client.put(pathOf(made), productInput({ sku: 'OTHER-sku' }));
    assert.equal(refused.status, 409);
    assert.match(refused.body.type, /\/problems\/sku-taken$/);
    assert.deepEqual(await tracesOf(tenant.id), before);
    assert.deepEqual((await client.get(pathOf(made))).body, renamed.body);
    assert.deepEqual((await client.get(pathOf(other))).body, other);
  });
});

describe('Of PUTs with the same ETag', () => {
  it('exactly one wins, on whatever node, and only the winner is told of', async () => {
    for (let round = 0; round < 5; round++) {
      const made = await makeProduct(client);
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (clients[i % 2] as TestClient).put(
            pathOf(made),
            productInput({ sku: made.sku, name: `N${i}` }),
            ifMatch('"1"'),
          ),
        ),
      );
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(9).fill(412)]);
      const winner = replies.find(({ status }) => status === 200);
      assert.deepEqual((await client.get(pathOf(made))).body, winner?.body);
      const events = await eventsOf(made.id);
      assert.deepEqual(events.slice(1), [{ type: 'product.updated', data: winner?.body }]);
      assert.equal((await auditOf(made.id)).length, 2);
      const loser = replies.find(({ status }) => status === 412);
      assert.match(loser?.body.type, /\/problems\/precondition-failed$/);
      assert.equal(loser?.headers.get('etag'), '"2"');
    }
  });

  it('without one each is carried out, one after the other', async () => {
    const made = await makeProduct(client);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        client.put(pathOf(made), productInput({ sku: made.sku, name: `N${i}` })),
      ),
    );
    assert.deepEqual(
      replies.map(({ body }) => body.version).sort((a, b) => a - b),
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    );
    const versions = (await eventsOf(made.id)).map(({ data }) => data.version);
    assert.deepEqual(versions, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('two that exchange their SKUs are both refused', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await makeProduct(client), await makeProduct(client)];
      const replies = await Promise.all([
        client.put(pathOf(a), productInput({ sku: b.sku })),
        client.put(pathOf(b), productInput({ sku: a.sku })),
      ]);
      // Now and then each waits for the other; the database gives one of them up then.
      for (const { status, text } of replies) assert.ok(status === 409 || status === 503, text);
      for (const product of [a, b]) assert.deepEqual((await client.get(pathOf(product))).body, product);
    }
  });
});

describe('Nobody replaces a product', () => {
  it('that there is not, that another has, or without token or permission', async () => {
    const made = await makeProduct(client);
    const rival = await api.newTenant();
    const reader = await clientWith(api, tenant, ['catalog.read']);
    for (const [who, path, status, slug] of [
      [client, pathOf({ id: UNKNOWN_ID }), 404, 'not-found'],
      [rival.client, pathOf(made), 403, 'other-tenant'],
      [reader, pathOf(made), 403, 'permission-denied'],
      [api.anonymous, pathOf(made), 401, 'unauthenticated'],
      [client, `${PRODUCTS}/17`, 400, 'invalid-request'],
    ] as const) {
      const reply = await who.put(path, productInput());
      assert.equal(reply.status, status, reply.text);
      assert.ok(reply.body.type.endsWith(`/problems/${slug}`), reply.text);
    }
    assert.deepEqual((await client.get(pathOf(made))).body, made);
    assert.equal(
      (await client.put(`/api/v1${pathOf(made)}`, productInput({ sku: made.sku, name: 'X' }))).status,
      200,
    );
  });
});
