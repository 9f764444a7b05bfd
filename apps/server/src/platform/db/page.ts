import { type SelectQueryBuilder, sql } from 'kysely';
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

/** Sorts and cuts a query: by keyset after a cursor, by offset for a page number. */
export function paged<Tables, Table extends keyof Tables, Row>(
  select: SelectQueryBuilder<Tables, Table, Row>,
  { column, sortDir, goesOn }: PageShape,
  { rows, skipped, afterValue, afterId }: PageValues,
): SelectQueryBuilder<Tables, Table, Row> {
  const [sorted, id, direction] = [sql.ref(column), sql.ref('id'), sql.raw(sortDir)];
  const cut = select.orderBy(sql`${sorted} ${direction}, ${id} ${direction}`).limit(sql<number>`${rows}`);
  if (!goesOn) return cut.offset(sql<number>`${skipped}`);
  const beyond = sql.raw(sortDir === 'asc' ? '>' : '<');
  return cut.where(sql<boolean>`(${sorted}, ${id}) ${beyond} (${afterValue}, ${afterId})`);
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
  const [rows = [], counts = []] = await batch([
    paged(select(matching), shapeOf(page), valuesOf(page)),
    matching.select((expression) => expression.fn.countAll<bigint>().as('count')),
  ]);
  return listed(page, rows as unknown as Row[], counts as { count: bigint }[], read);
}
