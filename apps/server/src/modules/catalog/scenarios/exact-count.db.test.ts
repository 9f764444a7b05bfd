import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { fetchToken, TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { behindCatalog, makeProduct, PRODUCTS, pathOf, productInput } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const rival = await api.newTenant();
await makeProduct(rival.client);
const second = await api.secondNode();
const clients = [
  tenant.client,
  new TestClient(second.origin, await fetchToken(second.origin, tenant.clientId, tenant.clientSecret)),
] as const;
const { tracesOf } = behindCatalog(api);

const step = fc.record({
  node: fc.nat(1),
  what: fc.constantFrom('create', 'create', 'delete', 'taken', 'invalid', 'rename'),
  which: fc.nat(5),
});

it('totalCount is the true number after any creations, deletions and refusals at once, on two nodes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
      const existing = await Promise.all(Array.from({ length: 6 }, () => makeProduct(tenant.client)));
      const replies = await Promise.all(
        steps.map(({ node, what, which }) => {
          const client = clients[node] as TestClient;
          const product = existing[which] as { id: string; sku: string };
          switch (what) {
            case 'create':
              return client.post(PRODUCTS, productInput());
            case 'delete':
              return client.delete(pathOf(product));
            case 'taken':
              return client.post(PRODUCTS, productInput({ sku: product.sku }));
            case 'rename':
              return client.put(pathOf(product), productInput({ sku: existing[0].sku }));
            default:
              return client.post(PRODUCTS, productInput({ price: 'x' }));
          }
        }),
      );
      for (const { status, text } of replies) assert.ok(status < 500, text);
      const { products, kept, searchable } = await tracesOf(tenant.id);
      assert.deepEqual([kept, searchable], [products, products]);
      for (const client of clients) {
        const { body } = await client.get(`${PRODUCTS}?pageSize=1`);
        assert.equal(body.totalCount, products);
        assert.equal((await client.get(`${PRODUCTS}?pageSize=1&kind=goods`)).body.totalCount, products);
      }
    }),
    { numRuns: 4, endOnFailure: true },
  );
  assert.equal((await rival.client.get(PRODUCTS)).body.totalCount, 1);
});
