import type { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { CopyForm } from '#platform/db/copy-out.ts';
import { type Page, sortedBy } from '#platform/db/page.ts';
import { where, written } from '#platform/db/query.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import { conditionsOf, filterShape, filterValues, matching, type ProductFilter } from './product.filter.ts';
import type { ProductResource } from './product.schemas.ts';

const timeText = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

type Fields = Readonly<Record<keyof Static<typeof ProductResource>, string>>;

/** Every field of a product in the order and under the name of the API, written by the database as we would show it. */
const fields: Fields = {
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
  createdAt: timeText('created_at'),
  updatedAt: timeText('updated_at'),
};

/** A cell holds text: tags side by side, true and false in full. */
const cells: Fields = {
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
  sorting: Pick<Page, 'column' | 'sortDir'>,
  form: CopyForm,
): Promise<Readable> {
  const shape = filterShape(filter);
  const values = filterValues(db.tenantId, filter);
  const rows = sql`select ${selections[form]} from ${matching(shape, values)}
    ${where(conditionsOf(shape, values))} order by ${sortedBy(sorting)}`;
  return db.copyOut(written(rows), form);
}
