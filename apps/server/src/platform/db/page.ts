import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Batch } from './query.ts';
import type { DB } from './schema.ts';

/** One page of a list, as the database is asked for it. */
export interface Page {
  readonly number: number;
  readonly size: number;
  readonly sortBy: string;
  readonly sortDir: 'asc' | 'desc';
  readonly column: string;
  /** The last row of the page before, when a cursor was given. */
  readonly after: { readonly value: string; readonly id: string } | undefined;
}

/** What was found: the items of the page, how many there are in all, and where the next page begins. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
  readonly last: { readonly value: string; readonly id: string } | undefined;
}

/** How a page is asked for: what the text of its query depends on. */
export interface PageShape {
  readonly column: string;
  readonly sortDir: 'asc' | 'desc';
  readonly goesOn: boolean;
}

/** The values of that query. */
export interface PageValues extends Record<string, unknown> {
  readonly rows: number;
  readonly skipped: number;
  readonly afterValue: string | undefined;
  readonly afterId: string | undefined;
}

export const shapeOf = ({ column, sortDir, after }: Page): PageShape => ({
  column,
  sortDir,
  goesOn: after !== undefined,
});

/** One row more than is shown tells whether there is a next page. */
export const valuesOf = ({ number, size, after }: Page): PageValues => ({
  rows: size + 1,
  skipped: (number - 1) * size,
  afterValue: after?.value,
  afterId: after?.id,
});

/** Where a page goes on after its cursor. */
export const goingOn = (
  { column, sortDir }: PageShape,
  { afterValue, afterId }: PageValues,
): RawBuilder<boolean> =>
  sql`(${sql.ref(column)}, id) ${sql.raw(sortDir === 'asc' ? '>' : '<')} (${afterValue}, ${afterId})`;

/** The order of a page; ties are broken by id. */
export const sortedBy = ({ column, sortDir }: Pick<PageShape, 'column' | 'sortDir'>): RawBuilder<unknown> =>
  sql`${sql.ref(column)} ${sql.raw(sortDir)}, id ${sql.raw(sortDir)}`;

/** How much of it is read: all after the cursor, or after as many rows as the pages before have. */
export const cutTo = ({ goesOn }: PageShape, { rows, skipped }: PageValues): RawBuilder<unknown> =>
  goesOn ? sql`limit ${rows}` : sql`limit ${rows} offset ${skipped}`;

/** All of that for a query of the builder. */
export function paged<Tables, Table extends keyof Tables, Row>(
  select: SelectQueryBuilder<Tables, Table, Row>,
  shape: PageShape,
  values: PageValues,
): SelectQueryBuilder<Tables, Table, Row> {
  const sorted = select.orderBy(sortedBy(shape)).limit(sql<number>`${values.rows}`);
  return shape.goesOn ? sorted.where(goingOn(shape, values)) : sorted.offset(sql<number>`${values.skipped}`);
}

/** What the rows of a page and the count amount to. A row must hold its id and the sorted column. */
export function listed<Row extends { id: string }, Item>(
  page: Page,
  rows: readonly Row[],
  counts: readonly { readonly count: bigint }[],
  read: (row: Row) => Item,
): Listed<Item> {
  const shown = rows.slice(0, page.size);
  const last = rows.length > page.size ? shown.at(-1) : undefined;
  return {
    items: shown.map(read),
    totalCount: Number(counts[0]?.count),
    last: last && { value: textOf((last as Record<string, unknown>)[page.column]), id: last.id },
  };
}

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

/** A list that is not asked for often: builds its queries anew, and counts what matches. */
export async function listPage<Table extends keyof DB, Row extends { id: string }, Item>(
  batch: Batch,
  matching: SelectQueryBuilder<DB, Table, object>,
  select: (matching: SelectQueryBuilder<DB, Table, object>) => SelectQueryBuilder<DB, Table, Row>,
  page: Page,
  read: (row: Row) => Item,
): Promise<Listed<Item>> {
  const [rows, counts] = await batch([
    paged(select(matching), shapeOf(page), valuesOf(page)),
    matching.select((expression) => expression.fn.countAll<bigint>().as('count')),
  ]);
  return listed(page, rows, counts, read);
}
