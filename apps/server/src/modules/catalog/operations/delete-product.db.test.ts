import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientWith, UNKNOWN_ID } from '#test/behind-api.ts';
import { openTestApi } from '#test/harness.ts';
import { behindCatalog, makeProduct, PRODUCTS, pathOf, productInput } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const { eventsOf, auditOf, tracesOf, sql } = behindCatalog(api);
const ifMatch = (etag: string) => ({ headers: { 'if-match': etag } });

describe('A deleted product', () => {
  it('is gone from everywhere, and its SKU is free again', async () => {
    const made = await makeProduct(client, {
      sku: 'GONE-1',
      name: 'Vanishing mug',
      tags: ['gone'],
      category: 'Gone',
      trackStock: true,
      stockOnHand: '5',
    });
    const { totalCount } = (await client.get(PRODUCTS)).body;
    const { status, text } = await client.delete(pathOf(made));
    assert.deepEqual([status, text], [204, '']);
    for (const reply of [
      await client.get(pathOf(made)),
      await client.put(pathOf(made), productInput()),
      await client.delete(pathOf(made)),
      await client.post(`${pathOf(made)}/stock-adjustments`, { quantity: 1 }),
      await client.get(`${pathOf(made)}/stock-movements`),
    ]) {
      assert.equal(reply.status, 404, reply.text);
      assert.match(reply.body.type, /\/problems\/not-found$/);
    }
    assert.equal((await client.get(PRODUCTS)).body.totalCount, totalCount - 1);
    for (const query of ['', '?q=vanish', '?q=gone-1', '?tag=gone', '?category=gone', '?inStock=true']) {
      assert.ok(!(await client.get(PRODUCTS + query)).text.includes(made.id), query);
      for (const accept of ['text/csv', 'application/x-ndjson'])
        assert.ok(
          !(await client.get(PRODUCTS + query, { headers: { accept } })).text.includes(made.id),
          query,
        );
    }
    const again = await makeProduct(client, { sku: 'gone-1' });
    assert.notEqual(again.id, made.id);
    assert.deepEqual((await client.get(pathOf(again))).body, again);
  });

  it('is told of as it was last seen, and its ledger stays', async () => {
    const made = await makeProduct(client, { trackStock: true, stockOnHand: '5' });
    await client.delete(pathOf(made));
    const events = await eventsOf(made.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['product.created', 'stock.adjusted', 'product.deleted'],
    );
    assert.deepEqual(events.at(-1).data, made);
    assert.ok((await auditOf(made.id)).includes('product.deleted'));
    assert.equal((await sql('select from stock_movement where product_id = $1', [made.id])).length, 1);
  });

  it('was deleted by exactly one of many at the same moment', async () => {
    const made = await makeProduct(client);
    const before = await tracesOf(tenant.id);
    const replies = await Promise.all(Array.from({ length: 10 }, () => client.delete(pathOf(made))));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, ...Array(9).fill(404)]);
    assert.deepEqual(await tracesOf(tenant.id), {
      ...before,
      products: before.products - 1,
      kept: before.kept - 1,
      searchable: before.searchable - 1,
      events: before.events + 1,
      entries: before.entries + 1,
    });
  });
});

describe('Nobody deletes a product', () => {
  it('with an ETag that is not the newest', async () => {
    const made = await makeProduct(client);
    await client.put(pathOf(made), { ...made, name: 'Changed' });
    const before = await tracesOf(tenant.id);
    const refused = await client.delete(pathOf(made), ifMatch('"1"'));
    assert.equal(refused.status, 412);
    assert.match(refused.body.type, /\/problems\/precondition-failed$/);
    assert.deepEqual(await tracesOf(tenant.id), before);
    assert.equal((await client.delete(`/api/v1${pathOf(made)}`, ifMatch('"2"'))).status, 204);
  });

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
      const reply = await who.delete(path);
      assert.equal(reply.status, status, reply.text);
      assert.ok(reply.body.type.endsWith(`/problems/${slug}`), reply.text);
    }
    assert.deepEqual((await client.get(pathOf(made))).body, made);
  });
});
