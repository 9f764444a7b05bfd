import type pg from 'pg';
import { caseless, foldText } from '#kernel/folded-text.ts';
import { newId } from '#kernel/ids.ts';
import { searchable } from './domain/search-keys.ts';

const FIRST_MS = Date.parse('2026-01-01T00:00:00Z');
const THINGS = ['Mug', 'Plate', 'Lamp', 'Chair', 'Café table', 'Kettle', 'Towel'] as const;
const CHUNK = 20_000;

/** The n-th of a workspace: common and rare values of every field that a list may be narrowed by. */
function made(n: number) {
  const sku = `SKU-${String(n).padStart(7, '0')}`;
  const name = `${THINGS[n % THINGS.length]} ${(n * 7919) % 1_000_003}`;
  const category = n % 500 === 0 ? 'Rare' : n % 3 === 0 ? null : `Category ${n % 40}`;
  return {
    id: newId(),
    sku,
    sku_key: caseless(sku),
    name,
    name_key: foldText(name),
    description: n % 1000 === 0 ? 'Handmade in Lisbon.' : 'A thing to use.',
    kind: n % 200 === 0 ? 'service' : 'goods',
    status: n % 100 === 0 ? 'archived' : 'active',
    price: ((n * 31) % 100_000) / 100,
    category,
    category_key: category && caseless(category),
    tag: n % 400 === 0 ? 'rare' : n % 2 === 0 ? 'common' : null,
    stock: n % 50 === 0 ? 0 : (n % 9) + 1,
    created_at: new Date(FIRST_MS + n * 1000).toISOString(),
    updated_at: new Date(FIRST_MS + ((n * 7919) % 1_000_003) * 1000).toISOString(),
    deleted_at: n % 111 === 0 ? new Date(FIRST_MS).toISOString() : null,
  };
}

/**
 * Fills a workspace with products, past the API: by set-based inserts, as superuser. Before `settled` the statistics are
 * those that were there before, and new search keys wait in their list as after any insert.
 */
export async function fillProducts(
  client: pg.ClientBase,
  tenantId: string,
  count: number,
  { isSearched = true } = {},
): Promise<void> {
  for (let first = 1; first <= count; first += CHUNK) {
    const rows = Array.from({ length: Math.min(CHUNK, count - first + 1) }, (_, i) => made(first + i));
    await client.query(
      `insert into product (tenant_id, id, sku, sku_key, name, name_key, description, kind, status, unit, price,
         price_order, currency, tax_category, tax_rate, category, category_key, tags, track_stock, stock_policy,
         stock_on_hand, in_stock, metadata, created_at, updated_at, deleted_at)
       select $1, id, sku, sku_key, name, name_key, description, kind, status, 'C62', price,
              (price * 1000000 - 5000000000000000000)::bigint, 'EUR', 'S', 0, category, category_key,
              array_remove(array[tag], null), true, 'deny', stock, stock > 0, '{}', created_at, updated_at, deleted_at
         from json_to_recordset($2) as r (id uuid, sku text, sku_key text, name text, name_key text, description text,
           kind text, status text, price numeric, category text, category_key text, tag text, stock numeric,
           created_at timestamptz, updated_at timestamptz, deleted_at timestamptz)`,
      [tenantId, JSON.stringify(rows)],
    );
    const visible = rows.filter((row) => row.deleted_at === null);
    const tagged = visible.filter((row) => row.tag !== null);
    await client.query(
      `insert into product_tag (tenant_id, product_id, tag_key, created_at)
       select $1, id, tag, created_at from unnest($2::uuid[], $3::text[]) as r (id, tag) join product using (id)`,
      [tenantId, tagged.map((row) => row.id), tagged.map((row) => row.tag)],
    );
    if (isSearched) await fillSearch(client, tenantId, visible);
    await client.query(
      `insert into kept_count (tenant_id, name, slot, count) values ($1, 'product', $2, $3)
       on conflict (tenant_id, name, slot) do update set count = kept_count.count + excluded.count`,
      [tenantId, first % 16, visible.length],
    );
  }
}

async function fillSearch(
  client: pg.ClientBase,
  tenantId: string,
  rows: readonly ReturnType<typeof made>[],
): Promise<void> {
  const found = rows.map((row) => searchable(tenantId, { ...row, barcode: null }));
  await client.query(
    `insert into product_search (tenant_id, product_id, sku, name, barcode, words, keys)
     select $1, id, sku, name, '', words::text[], keys::integer[]
       from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) as r (id, sku, name, words, keys)`,
    [
      tenantId,
      rows.map((row) => row.id),
      found.map(({ sku }) => sku),
      found.map(({ name }) => name),
      found.map(({ words }) => `{${words.join(',')}}`),
      found.map(({ keys }) => `{${keys.join(',')}}`),
    ],
  );
}

/** Key by key into the search index is slow for many rows; built afresh it is the same index. */
export async function withSearchIndexApart(client: pg.ClientBase, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query(`select pg_get_indexdef('product_search_keys'::regclass) as text`);
  await client.query('drop index product_search_keys');
  await fill();
  await client.query(rows[0].text);
}

/** A ledger, numbered without gaps: every tenth movement is a sale. */
export async function fillLedger(
  client: pg.ClientBase,
  tenantId: string,
  productId: string,
  count: number,
): Promise<void> {
  await client.query(
    `insert into stock_movement (tenant_id, product_id, number, id, kind, quantity, balance, created_at)
     select $1, $2, n, gen_random_uuid(), case when n % 10 = 0 then 'sale' else 'adjustment' end, 1, n, now()
       from generate_series(1, $3::integer) n`,
    [tenantId, productId, count],
  );
  await client.query(
    'update product set movement_count = $3, stock_on_hand = $4 where tenant_id = $1 and id = $2',
    [tenantId, productId, count, count],
  );
}

/** As the housekeeping of the database leaves the tables some time after. */
export const settle = async (client: pg.ClientBase): Promise<void> => {
  await client.query('vacuum (analyze) product, product_tag, product_search, stock_movement, kept_count');
};
