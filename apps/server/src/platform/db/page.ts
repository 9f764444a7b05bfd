import { type SelectQueryBuilder, sql } from 'kysely';

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

/** Sorts and cuts a query: by keyset after a cursor, by offset for a page number. One row more tells whether there is a next page. */
export function paged<DB, TB extends keyof DB, O>(
  select: SelectQueryBuilder<DB, TB, O>,
  page: Page,
): SelectQueryBuilder<DB, TB, O> {
  const column = sql.ref(page.column);
  const id = sql.ref('id');
  const direction = sql.raw(page.sortDir);
  const sorted = select.orderBy(sql`${column} ${direction}, ${id} ${direction}`).limit(page.size + 1);
  if (page.after === undefined) return sorted.offset((page.number - 1) * page.size);
  const beyond = sql.raw(page.sortDir === 'asc' ? '>' : '<');
  return sorted.where(sql<boolean>`(${column}, ${id}) ${beyond} (${page.after.value}, ${page.after.id})`);
}
