import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestClient } from '#test/client.ts';
import type { TestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

export const PRODUCTS = '/catalog/products';
export const UNKNOWN_ID = '0190a000-0000-7000-8000-000000000000';

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

/** What the database holds, seen past row security. */
export function behindApi(api: TestApi) {
  const sql = (text: string, values: unknown[] = []) =>
    asSuperuser(api.cluster, async (client) => (await client.query(text, values)).rows, api.databaseName);
  return {
    sql,
    /** The events of a product in their order. */
    eventsOf: (id: string) =>
      sql('select type, data from outbox_event where resource_id = $1 order by number', [id]),
    auditOf: async (id: string): Promise<string[]> =>
      (await sql('select action from audit_log where resource_id = $1 order by at, id', [id])).map(
        ({ action }) => action,
      ),
    /** How much there is of everything that a change of a product leaves behind. */
    tracesOf: async (tenantId: string) =>
      (
        await sql(
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

/** A client of the workspace whose only role holds these permissions. */
export async function clientWith(
  api: TestApi,
  tenant: { readonly id: string; readonly client: TestClient },
  permissions: readonly string[],
): Promise<TestClient> {
  const [role] = await behindApi(api).sql(
    `insert into role (tenant_id, id, name, permissions, created_at, updated_at)
     values ($1, gen_random_uuid(), gen_random_uuid()::text, $2, now(), now()) returning id`,
    [tenant.id, permissions],
  );
  const { body } = await tenant.client.post('/api/settings/api-clients', {
    name: 'Limited',
    roles: [role.id],
  });
  return api.signIn(body.clientId, body.clientSecret);
}

/** Waits until it holds; for what happens by itself and soon, such as the end of a connection. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
