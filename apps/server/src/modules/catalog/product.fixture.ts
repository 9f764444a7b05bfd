import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { behindApi } from '#test/behind-api.ts';
import type { TestClient } from '#test/client.ts';
import type { TestApi } from '#test/harness.ts';

export const PRODUCTS = '/catalog/products';

/** The least that makes a product, with a SKU that no other has. */
export const productInput = (more: object = {}): Record<string, unknown> => ({
  sku: `SKU-${randomBytes(6).toString('hex')}`,
  name: 'Mug',
  price: '12.50',
  currency: 'EUR',
  ...more,
});

/** A new product as its creation shows it. */
// biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects of an answer
export async function makeProduct(client: TestClient, more: object = {}): Promise<any> {
  const { status, body, text } = await client.post(PRODUCTS, productInput(more));
  assert.equal(status, 201, text);
  return body;
}

export const pathOf = ({ id }: { id: string }): string => `${PRODUCTS}/${id}`;

/** What the database holds of the catalog, seen past row security. */
export function behindCatalog(api: TestApi) {
  const behind = behindApi(api);
  return {
    ...behind,
    /** How much there is of everything that a change of a product leaves behind. */
    tracesOf: async (tenantId: string) =>
      (
        await behind.sql(
          `select (select count(*)::int from product where tenant_id = $1 and deleted_at is null) as products,
                  (select coalesce(sum(count), 0)::int from kept_count where tenant_id = $1 and name = 'product') as kept,
                  (select count(*)::int from outbox_event where tenant_id = $1) as events,
                  (select count(*)::int from audit_log where tenant_id = $1 and resource_type = 'product') as entries,
                  (select count(*)::int from stock_movement where tenant_id = $1) as movements,
                  (select count(*)::int from product_search where tenant_id = $1) as searchable`,
          [tenantId],
        )
      )[0],
  };
}
