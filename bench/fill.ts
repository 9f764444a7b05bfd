import type pg from 'pg';
import { caseless } from '../apps/server/src/kernel/folded-text.ts';
import { newId } from '../apps/server/src/kernel/ids.ts';
import { contentOf, newProduct } from '../apps/server/src/modules/catalog/domain/product.ts';
import { searchable } from '../apps/server/src/modules/catalog/domain/search-keys.ts';
import { newRow, priceOrder } from '../apps/server/src/modules/catalog/product.row.ts';
import { asSuperuser, type BenchDatabase } from './database.ts';
import { nthProduct } from './products.ts';

const CHUNK = 1_000;
const WRITERS = 2;
const SAMPLE = 1_000;
const SPAN_MS = 300 * 24 * 60 * 60 * 1000;

/**
 * Fills a tenant past the API, by set-based inserts. The indexes grow row by row as they do in life: one built afresh
 * would be smaller than any that is used. Returns ids of products from all over it.
 */
export async function fillTenant(
  database: BenchDatabase,
  tenantId: string,
  count: number,
): Promise<readonly string[]> {
  const sample: string[] = [];
  const startMs = Date.now() - SPAN_MS;
  const make = (n: number): Rows => {
    const rows = rowsOf(tenantId, n, new Date(startMs + (n / count) * SPAN_MS));
    if (n % Math.ceil(count / SAMPLE) === 0) sample.push(rows.product.id);
    return rows;
  };
  let next = 0;
  const write = async (client: pg.Client): Promise<void> => {
    await client.query('set synchronous_commit = off');
    while (next < count) {
      const first = next;
      next = Math.min(first + CHUNK, count);
      await insert(
        client,
        Array.from({ length: next - first }, (_, i) => make(first + i)),
      );
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, () => asSuperuser(database, write)));
  await asSuperuser(database, (client) =>
    client.query(`insert into kept_count (tenant_id, name, slot, count) values ($1, 'product', 0, $2)`, [
      tenantId,
      count,
    ]),
  );
  return sample;
}

/** Leaves the tables as the database's own housekeeping does some time after. */
export const settle = (database: BenchDatabase): Promise<void> =>
  asSuperuser(database, async (client) => {
    await client.query('vacuum (analyze) product, product_tag, product_search, kept_count');
    await client.query('checkpoint'); // or it would come while something is measured
  });

type Rows = ReturnType<typeof rowsOf>;

function rowsOf(tenantId: string, n: number, at: Date) {
  const product = newProduct(contentOf(nthProduct(n)), newId(), at);
  const row = {
    ...newRow(product),
    tenant_id: tenantId,
    price_order: String(priceOrder(product.price)), // JSON has no bigint
    metadata: product.metadata,
  };
  const found = searchable(tenantId, product);
  const keys = `{${found.keys.join(',')}}`; // an array as JSON takes the database longer to read
  const search = { ...found, keys, tenant_id: tenantId, product_id: product.id };
  const tags = product.tags.map((tag) => ({
    tenant_id: tenantId,
    product_id: product.id,
    tag_key: caseless(tag),
    created_at: at,
  }));
  return { product: row, search, tags };
}

async function insert(client: pg.Client, rows: readonly Rows[]): Promise<void> {
  await insertAll(
    client,
    'product',
    rows.map(({ product }) => product),
  );
  await insertAll(
    client,
    'product_search',
    rows.map(({ search }) => search),
  );
  await insertAll(
    client,
    'product_tag',
    rows.flatMap(({ tags }) => tags),
  );
}

async function insertAll(client: pg.Client, table: string, rows: readonly object[]): Promise<void> {
  if (rows[0] === undefined) return;
  const columns = Object.keys(rows[0]).join(', ');
  await client.query(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  );
}
