import { type RawBuilder, sql } from 'kysely';
import { keptCount } from '#platform/db/kept-count.ts';
import {
  cutTo,
  goingOn,
  type Listed,
  listed,
  type Page,
  type PageShape,
  type PageValues,
  shapeOf,
  sortedBy,
  valuesOf,
} from '#platform/db/page.ts';
import { prepared, preparedShapes, unnamed, where, written } from '#platform/db/query.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import type { Product } from './domain/product.ts';
import {
  conditionsOf,
  type FilterShape,
  type FilterValues,
  filterShape,
  filterValues,
  isSortedBySource,
  isUnfiltered,
  matching,
  type ProductFilter,
  productsOf,
  sourceOf,
} from './product.filter.ts';
import { type ProductRow, productColumns, productOf } from './product.row.ts';
import { PRODUCT_COUNT } from './product.store.ts';

/** Beyond so many rows that are skipped, a page is no short read any more. */
const SHORT_SKIP_MAX = 1_000;

interface ListShape {
  readonly filter: FilterShape;
  readonly page: PageShape;
}
type ListValues = FilterValues & PageValues;

/** A page of all products, each row with how many there are. */
const plainPage = preparedShapes((page: PageShape, values: PageValues) => {
  const conditions = [sql<boolean>`deleted_at is null`, ...after(page, values)];
  return written<CountedRow>(sql`
    select ${columnsFor(page)}, ${keptCount(PRODUCT_COUNT)} as count from product
    ${where(conditions)} order by ${sortedBy(page)} ${cutTo(page, values)}`);
});

const countOfAll = prepared(() =>
  written<{ count: bigint }>(sql`select ${keptCount(PRODUCT_COUNT)} as count`),
);

const filteredPage = preparedShapes(({ filter, page }: ListShape, values: ListValues) => {
  const conditions = [...conditionsOf(filter, values), ...after(page, values)];
  const cut = sql`${where(conditions)} order by ${sortedBy(page)} ${cutTo(page, values)}`;
  // Where the source knows the order, only the products of the page are read at all.
  return written<ProductRow>(
    isSortedBySource(filter, page.column)
      ? sql`select ${columnsFor(page)} from
          ${productsOf(filter, sql`(select * from ${sourceOf(filter, values)} ${cut}) as source`)}
          order by ${sortedBy(page)}`
      : sql`select ${columnsFor(page)} from ${matching(filter, values)} ${cut}`,
  );
});

/** A search by itself: it is done once, for the page and for the count, which comes with every row and also with none. */
const searchPage = preparedShapes(({ filter, page }: ListShape, values: ListValues) => {
  const cut = sql`${where(after(page, values))} order by ${sortedBy(page)} ${cutTo(page, values)}`;
  return written<CountedRow>(sql`
    with found as materialized (select * from ${sourceOf(filter, values)})
    select page.*, (select count(*) from found) as count
      from (select) as once left join
        (select ${columnsFor(page)} from ${productsOf(filter, sql`(select * from found ${cut}) as source`)}) as page on true
     order by ${sortedBy(page)}`);
});

type CountedRow = ProductRow & { readonly count: bigint };

const after = (page: PageShape, values: PageValues): RawBuilder<boolean>[] =>
  page.goesOn ? [goingOn(page, values)] : [];

/** What it is sorted by comes along for the cursor, unless it is shown anyway. */
const columnsFor = ({ column }: PageShape): RawBuilder<unknown> =>
  sql.join([...new Set<string>([...productColumns, column])].map((name) => sql.ref(name)));

const countQuery = preparedShapes((filter: FilterShape, values: ListValues) => {
  const isKnownBySource = filter.source !== 'products' && filter.conditions.length === 0;
  const from = isKnownBySource ? sourceOf(filter, values) : matching(filter, values);
  return written<{ count: bigint }>(sql`select count(*) from ${from} ${where(conditionsOf(filter, values))}`);
});

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
  const [rows, counts] = await rowsAndCount(db, shape, values);
  return listed(page, rows, counts, productOf);
}

async function rowsAndCount(
  db: TenantReader,
  shape: ListShape,
  values: ListValues,
): Promise<[ProductRow[], { count: bigint }[]]> {
  if (isUnfiltered(shape.filter)) {
    const [rows] = await (isShort(shape, values) ? db.batch : db.slowBatch)([plainPage(shape.page, values)]);
    return [rows, rows.length > 0 ? rows : await db.rows(countOfAll({}))];
  }
  const isBySource = isSortedBySource(shape.filter, shape.page.column);
  if (isBySource && shape.filter.source === 'search') {
    const [found] = await db.slowBatch([searchPage(shape, values)]);
    return [found.filter(({ id }) => id !== null), found];
  }
  const [rows, count] = [filteredPage(shape, values), countQuery(shape.filter, values)];
  // What a source sorts is read in one way, whatever its values are.
  return db.slowBatch(isBySource ? [rows, count] : [unnamed(rows), unnamed(count)]);
}

const isShort = ({ page }: ListShape, { skipped }: ListValues): boolean =>
  page.goesOn || skipped <= SHORT_SKIP_MAX;
