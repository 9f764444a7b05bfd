import { sql } from 'kysely';
import { keptCount } from '#platform/db/kept-count.ts';
import {
  type Listed,
  listed,
  type Page,
  type PageShape,
  paged,
  shapeOf,
  valuesOf,
} from '#platform/db/page.ts';
import { preparedShapes, unnamed } from '#platform/db/query.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import type { Product } from './domain/product.ts';
import {
  type FilterShape,
  filterShape,
  filterValues,
  isUnfiltered,
  matching,
  type ProductFilter,
} from './product.filter.ts';
import { type ProductRow, productColumns, productOf } from './product.row.ts';
import { PRODUCT_COUNT } from './product.store.ts';

/** Beyond so many rows that are skipped, a page is no short read any more. */
const SHORT_SKIP_MAX = 1_000;

type Values = ReturnType<typeof filterValues> & ReturnType<typeof valuesOf>;

const pageQuery = preparedShapes(
  ({ filter, page }: { filter: FilterShape; page: PageShape }, values: Values) =>
    paged(matching(filter, values).select([...productColumns, ...sortedColumn(page)]), page, values),
);

/** What it is sorted by comes along for the cursor, unless it is shown anyway. */
const sortedColumn = ({ column }: PageShape) =>
  (productColumns as readonly string[]).includes(column) ? [] : [sql.ref(column).as(column)];

const countQuery = preparedShapes((filter: FilterShape, values: Values) =>
  matching(filter, values).select((expression) => expression.fn.countAll<bigint>().as('count')),
);

/**
 * One page and the exact count. Of all products the count is kept, so a page of them costs the same in a workspace of a
 * million; what is filtered is counted on an index, and planned for its very values.
 */
export async function listProducts(
  db: TenantReader,
  filter: ProductFilter,
  page: Page,
): Promise<Listed<Product>> {
  const shape = { filter: filterShape(filter), page: shapeOf(page) };
  const values = { ...filterValues(db.tenantId, filter), ...valuesOf(page) };
  const rows = pageQuery(shape, values);
  const isShort = page.after !== undefined || values.skipped <= SHORT_SKIP_MAX;
  const [items = [], counts = []] = isUnfiltered(shape.filter)
    ? await (isShort ? db.batch : db.slowBatch)([rows, keptCount(PRODUCT_COUNT)])
    : await db.slowBatch([unnamed(rows), unnamed(countQuery(shape.filter, values))]);
  return listed(page, items as unknown as ProductRow[], counts as { count: bigint }[], productOf);
}
