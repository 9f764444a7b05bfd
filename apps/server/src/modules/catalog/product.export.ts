import type { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Page } from '#platform/db/page.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import { filterShape, filterValues, matching, type ProductFilter } from './product.filter.ts';

const TIME = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Every field of a product in the order and under the name of the API, written by the database as we would show it. */
const fields: Readonly<Record<string, string>> = {
  id: 'id',
  sku: 'sku',
  name: 'name',
  description: 'description',
  kind: 'kind',
  status: 'status',
  unit: 'unit',
  price: 'price::text',
  currency: 'currency',
  taxCategory: 'tax_category',
  taxRate: 'tax_rate::text',
  barcode: 'barcode',
  category: 'category',
  tags: 'tags',
  trackStock: 'track_stock',
  stockOnHand: 'stock_on_hand::text',
  stockPolicy: 'stock_policy',
  reorderPoint: 'reorder_point::text',
  metadata: 'metadata',
  version: 'version',
  createdAt: TIME('created_at'),
  updatedAt: TIME('updated_at'),
};

/** A cell holds text: tags side by side, true and false in full. */
const cells: Readonly<Record<string, string>> = {
  ...fields,
  tags: `array_to_string(tags, '|')`,
  trackStock: 'track_stock::text',
};

const csvColumns = Object.entries(cells).map(([name, text]) => sql.raw(`${text} as "${name}"`));
const jsonLine = sql.raw(
  `json_build_object(${Object.entries(fields)
    .map(([name, text]) => `'${name}', ${text}`)
    .join(', ')})::text`,
);

const selections = { csv: sql.join(csvColumns), lines: jsonLine };

/** The whole result, sorted as asked, as it is at one moment. */
export function exportProducts(
  db: TenantReader,
  filter: ProductFilter,
  { column, sortDir }: Pick<Page, 'column' | 'sortDir'>,
  form: 'csv' | 'lines',
): Promise<Readable> {
  const shape = filterShape(filter);
  const direction = sql.raw(sortDir);
  const rows = matching(shape, filterValues(db.tenantId, filter))
    .select(sql`${selections[form]}` as never)
    .orderBy(sql`${sql.ref(column)} ${direction}, id ${direction}`);
  return db.copyOut(rows, form);
}
