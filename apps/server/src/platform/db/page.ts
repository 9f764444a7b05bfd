import { type Compilable, type SelectQueryBuilder, sql } from 'kysely';
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

/** `rows` or `slowRows` of a reader or a transaction. */
type Run = <Row>(query: Compilable<Row>) => Promise<Row[]>;

/** Asks for one page of what matches, and for its exact count. The row must hold its id and the sorted column. */
export async function listPage<Table extends keyof DB, Row extends { id: string }, Item>(
  run: Run,
  matching: SelectQueryBuilder<DB, Table, object>,
  select: (matching: SelectQueryBuilder<DB, Table, object>) => SelectQueryBuilder<DB, Table, Row>,
  page: Page,
  read: (row: Row) => Item,
): Promise<Listed<Item>> {
  const [rows, counts] = await Promise.all([
    run(paged(select(matching), page)),
    run(matching.select((expression) => expression.fn.countAll<bigint>().as('count'))),
  ]);
  const shown = rows.slice(0, page.size);
  const last = rows.length > page.size ? shown.at(-1) : undefined;
  return {
    items: shown.map(read),
    totalCount: Number((counts[0] as { count: bigint }).count),
    last: last && { value: textOf((last as Record<string, unknown>)[page.column]), id: last.id },
  };
}

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

/** Sorts and cuts a query: by keyset after a cursor, by offset for a page number. One row more tells whether there is a next page. */
function paged<Table extends keyof DB, Row>(
  select: SelectQueryBuilder<DB, Table, Row>,
  page: Page,
): SelectQueryBuilder<DB, Table, Row> {
  const column = sql.ref(page.column);
  const id = sql.ref('id');
  const direction = sql.raw(page.sortDir);
  const sorted = select.orderBy(sql`${column} ${direction}, ${id} ${direction}`).limit(page.size + 1);
  if (page.after === undefined) return sorted.offset((page.number - 1) * page.size);
  const beyond = sql.raw(page.sortDir === 'asc' ? '>' : '<');
  return sorted.where(sql<boolean>`(${column}, ${id}) ${beyond} (${page.after.value}, ${page.after.id})`);
}
