import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { behindApi, clientWith, UNKNOWN_ID } from '#test/behind-api.ts';
import { openTestApi } from '#test/harness.ts';
import { makeProduct, pathOf } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const product = await makeProduct(client, { trackStock: true, stockOnHand: '100' });
const path = `${pathOf(product)}/stock-movements`;

// All at one moment, so that only their numbers tell their order.
for (let quantity = 1; quantity <= 6; quantity++)
  await client.post(`${pathOf(product)}/stock-adjustments`, { quantity });
await behindApi(api).sql(
  `update stock_movement set kind = 'sale' where product_id = $1 and number in (2, 5)`,
  [product.id],
);
const quantities = (items: { quantity: string }[]): string[] => items.map(({ quantity }) => quantity);
const NEWEST_FIRST = ['6', '5', '4', '3', '2', '1', '100'];

describe('The ledger of a product', () => {
  it('is listed newest first, and the other way round', async () => {
    const { status, body } = await client.get(path);
    assert.equal(status, 200);
    assert.deepEqual(quantities(body.items), NEWEST_FIRST);
    assert.deepEqual([body.totalCount, body.page, body.pageSize, body.nextCursor], [7, 1, 20, null]);
    const { body: upwards } = await client.get(`/api/v1${path}?sortBy=createdAt&sortDir=asc`);
    assert.deepEqual(upwards.items, body.items.toReversed());
  });

  it('is walked by cursor and by page, each movement once', async () => {
    for (const pageSize of [1, 3, 7]) {
      const byCursor: string[] = [];
      const byPage: string[] = [];
      let cursor: string | null = '';
      for (let page = 1; cursor !== null; page++) {
        const query = `?pageSize=${pageSize}`;
        const { body } = await client.get(cursor === '' ? path + query : `${path}${query}&cursor=${cursor}`);
        byCursor.push(...quantities(body.items));
        byPage.push(...quantities((await client.get(`${path}${query}&page=${page}`)).body.items));
        assert.equal(body.totalCount, 7);
        cursor = body.nextCursor;
      }
      assert.deepEqual(byCursor, NEWEST_FIRST);
      assert.deepEqual(byPage, NEWEST_FIRST);
    }
    assert.deepEqual((await client.get(`${path}?page=9`)).body.items, []);
  });

  it('is narrowed to a kind, and counted exactly then', async () => {
    const { body } = await client.get(`${path}?kind=sale&pageSize=1`);
    assert.deepEqual([body.totalCount, quantities(body.items)], [2, ['4']]);
    const { body: next } = await client.get(`${path}?kind=sale&pageSize=1&cursor=${body.nextCursor}`);
    assert.deepEqual([quantities(next.items), next.nextCursor], [['1'], null]);
    assert.equal((await client.get(`${path}?kind=return`)).body.totalCount, 0);
  });

  it('is empty for a product that has not moved', async () => {
    const { body } = await client.get(`${pathOf(await makeProduct(client))}/stock-movements`);
    assert.deepEqual([body.items, body.totalCount, body.nextCursor], [[], 0, null]);
  });

  it('is refused with what it does not know', async () => {
    for (const [query, pointer] of [
      ['kind=gift', '/query/kind'],
      ['sortBy=quantity', '/query/sortBy'],
      ['pageSize=101', '/query/pageSize'],
      ['cursor=x', '/query/cursor'],
      ['q=x', '/query/q'],
    ] as const) {
      const { status, body } = await client.get(`${path}?${query}`);
      assert.deepEqual([status, Object.keys(body.errors)], [400, [pointer]]);
    }
    const madeUp = { sortBy: 'createdAt', sortDir: 'desc', value: 'x', id: UNKNOWN_ID, page: 2 };
    const cursor = Buffer.from(JSON.stringify(madeUp)).toString('base64url');
    assert.equal((await client.get(`${path}?cursor=${cursor}`)).status, 400);
  });

  it('is refused to whoever may not see it', async () => {
    const rival = await api.newTenant();
    const writer = await clientWith(api, tenant, ['catalog.write']);
    for (const [who, id, status, slug] of [
      [client, UNKNOWN_ID, 404, 'not-found'],
      [rival.client, product.id, 403, 'other-tenant'],
      [writer, product.id, 403, 'permission-denied'],
      [api.anonymous, product.id, 401, 'unauthenticated'],
    ] as const) {
      const reply = await who.get(`${pathOf({ id })}/stock-movements`);
      assert.equal(reply.status, status, reply.text);
      assert.ok(reply.body.type.endsWith(`/problems/${slug}`), reply.text);
    }
  });
});
