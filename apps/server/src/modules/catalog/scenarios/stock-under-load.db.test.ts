import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decimalText, millionths } from '#kernel/decimal.ts';
import { behindApi } from '#test/behind-api.ts';
import { fetchToken, TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { makeProduct, pathOf, productInput } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const second = await api.secondNode();
const clients = [
  tenant.client,
  new TestClient(second.origin, await fetchToken(second.origin, tenant.clientId, tenant.clientSecret)),
] as const;
const [client] = clients;
const { sql, eventsOf, auditOf } = behindApi(api);

/** The balance is the sum of the ledger, whose lines have no gap and each the sum up to it. */
async function assertLedger(product: { id: string }): Promise<void> {
  const { body: shown } = await client.get(pathOf(product));
  const rows = await sql(
    `select number, quantity::text, balance::text from stock_movement where product_id = $1 order by number`,
    [product.id],
  );
  let sum = 0n;
  rows.forEach(({ number, quantity, balance }, i) => {
    sum += millionths(quantity);
    assert.equal(number, i + 1);
    assert.equal(millionths(balance), sum);
  });
  assert.equal(shown.stockOnHand, decimalText(sum));
  if (shown.stockPolicy === 'deny') assert.ok(sum >= 0n);
  const events = (await eventsOf(product.id)).filter(({ type }) => type === 'stock.adjusted');
  assert.deepEqual(
    events.map(({ data }) => [data.stockOnHand, data.movement.balance]),
    rows.map(({ balance }) => [decimalText(millionths(balance)), decimalText(millionths(balance))]),
  );
  const entries = (await auditOf(product.id)).filter((action) => action === 'stock.adjusted');
  assert.equal(entries.length, rows.length);
}

describe('However adjustments meet, on however many nodes', () => {
  it('the balance is the sum of the movements', async () => {
    const adjustment = fc.record({
      product: fc.nat(2),
      node: fc.nat(1),
      millionths: fc.oneof(
        fc.integer({ min: -5_000_000, max: 5_000_000 }),
        fc.constantFrom(-1, 1, -3_000_000),
      ),
      isPut: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(adjustment, { minLength: 10, maxLength: 40 }), async (adjustments) => {
        const products = [
          await makeProduct(client, { trackStock: true, stockOnHand: '3' }),
          await makeProduct(client, { trackStock: true, stockPolicy: 'allow' }),
          await makeProduct(client, { trackStock: true, stockOnHand: '0.5' }),
        ];
        const replies = await Promise.all(
          adjustments.map(async ({ product: at, node, millionths: amount, isPut }) => {
            const product = products[at] as (typeof products)[number];
            const who = clients[node] as TestClient;
            // A replacement between adjustments must not bring an old balance back.
            if (isPut) {
              const { stockPolicy } = product;
              const sent = productInput({
                sku: product.sku,
                name: `N${amount}`,
                trackStock: true,
                stockPolicy,
              });
              return who.put(pathOf(product), sent);
            }
            const quantity = decimalText(BigInt(amount));
            return who.post(`${pathOf(product)}/stock-adjustments`, { quantity });
          }),
        );
        replies.forEach(({ status, text }, i) => {
          const allowed = adjustments[i]?.isPut
            ? [200]
            : adjustments[i]?.millionths === 0
              ? [400]
              : [201, 409];
          assert.ok(allowed.includes(status), text);
        });
        for (const product of products) await assertLedger(product);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });

  it('of 50 that take one from ten exactly ten succeed', async () => {
    const product = await makeProduct(client, { trackStock: true, stockOnHand: '10' });
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (clients[i % 2] as TestClient).post(`${pathOf(product)}/stock-adjustments`, { quantity: -1 }),
      ),
    );
    const refused = replies.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 40);
    for (const { status, body } of refused) {
      assert.equal(status, 409);
      assert.match(body.type, /\/problems\/insufficient-stock$/);
    }
    assert.equal((await client.get(pathOf(product))).body.stockOnHand, '0');
    await assertLedger(product);
  });

  it('all of them succeed where stock may fall below zero', async () => {
    const product = await makeProduct(client, { trackStock: true, stockPolicy: 'allow', stockOnHand: '10' });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        (clients[i % 2] as TestClient).post(`${pathOf(product)}/stock-adjustments`, { quantity: -1 }),
      ),
    );
    assert.ok(replies.every(({ status }) => status === 201));
    assert.equal((await client.get(pathOf(product))).body.stockOnHand, '-20');
    await assertLedger(product);
  });
});
