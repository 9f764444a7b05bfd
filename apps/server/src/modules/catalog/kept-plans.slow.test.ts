import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { newId } from '#kernel/ids.ts';
import type { Page } from '#platform/db/page.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser, databaseUrl } from '#test/template.ts';
import type { Product } from './domain/product.ts';
import { fillProducts, withSearchIndexApart } from './many-products.fixture.ts';
import { listProducts } from './product.list.ts';
import { deleteProduct, findProduct, lockProduct, updateProduct } from './product.store.ts';
import { Explainer, type Sent, sentBy, sentInTx } from './query-plans.fixture.ts';
import { changeStock } from './stock.store.ts';

const api = await openTestApi({ lanes: 1, poolSize: 2 });
const tenant = await api.newTenant();
const explainer = new Explainer(databaseUrl(api.cluster.appUrl, api.databaseName));
await explainer.open();
after(() => explainer.close());

const NOW = new Date('2026-03-01T00:00:00Z');
const product = (id: string): Product => ({
  id,
  sku: 'KEPT-1',
  name: 'Kept',
  description: null,
  kind: 'goods',
  status: 'active',
  unit: 'C62',
  price: '1.00',
  currency: 'EUR',
  taxCategory: 'S',
  taxRate: '0',
  barcode: null,
  category: null,
  tags: [],
  trackStock: true,
  stockOnHand: '0',
  stockPolicy: 'allow',
  reorderPoint: null,
  metadata: {},
  movementCount: 0,
  version: 1,
  createdAt: NOW,
  updatedAt: NOW,
});

/** Every statement with a name that looks something up: those keep their plans. */
async function namedOf(id: string): Promise<Sent[]> {
  const before = product(id);
  const after = { ...before, name: 'Kept on', tags: ['x'] };
  const movement = {
    id: newId(),
    number: 1,
    productId: id,
    kind: 'adjustment',
    quantity: '1',
    balance: '1',
    reason: null,
    reference: null,
    invoiceId: null,
    createdAt: NOW,
  } as const;
  const sent = await sentInTx(tenant.id, { ...before }, async (tx) => {
    await lockProduct(tx, id);
    updateProduct(tx, before, after);
    changeStock(tx, after, movement);
    deleteProduct(tx, after, NOW);
  });
  const reads = await sentBy(tenant.id, (db) => findProduct(db, id));
  for (const column of ['sku_key', 'name_key', 'price_order', 'created_at', 'updated_at']) {
    for (const sortDir of ['asc', 'desc'] as const) {
      const page: Page = { number: 1, size: 20, sortBy: column, sortDir, column, after: undefined };
      reads.push(...(await sentBy(tenant.id, (db) => listProducts(db, {}, page))));
    }
  }
  const looksUp = ({ name, text }: Sent): boolean => name !== undefined && !text.startsWith('insert');
  return [...sent, ...reads].filter(looksUp);
}

describe('A plan that is kept', () => {
  it('goes by an index though it was made while there was nothing in the tables', async () => {
    const early = await namedOf(newId());
    assert.ok(early.length > 15);
    for (const [n, sent] of early.entries()) {
      await explainer.prepare(sent, `early_${n}`);
      for (let round = 0; round < 8; round++) await explainer.explainPrepared(tenant.id, sent, `early_${n}`);
    }
    const id = await asSuperuser(
      api.cluster,
      async (client) => {
        await withSearchIndexApart(client, () => fillProducts(client, tenant.id, 4_000));
        return (await client.query('select id from product where deleted_at is null limit 1')).rows[0].id;
      },
      api.databaseName,
    );
    for (const [n, sent] of (await namedOf(id)).entries()) {
      const plan = await explainer.explainPrepared(tenant.id, sent, `early_${n}`);
      assert.ok(!plan.isSeqScan, `${sent.text}\n${plan}`);
      assert.ok(plan.rowsRead <= 50 && plan.buffers <= 100, `${sent.text}\n${plan}`);
    }
  });
});
