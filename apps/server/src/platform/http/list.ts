import { type SelectQueryBuilder, sql } from 'kysely';
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { isUuid } from '#kernel/ids.ts';
import { isSqlError } from '#platform/db/connection.ts';
import { invalid } from './common.problems.ts';
import type { Problem } from './problem.ts';
import { Nullable, OneOf, Strict } from './schemas.ts';

const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;

/** The query of a list: paging and sorting as everywhere, plus the filters of this one. */
export const ListQuery = <const S extends readonly string[], F extends TProperties>(
  sortable: S,
  filters: F,
) =>
  Strict({
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The page, from 1.' })),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
        description: `Items on a page; ${PAGE_SIZE} unless given.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'The nextCursor of the page before; its cost does not grow with depth.',
      }),
    ),
    sortBy: Type.Optional(OneOf(sortable)),
    sortDir: Type.Optional(OneOf(['asc', 'desc'] as const)),
    ...filters,
  });

export const ListReply = <T extends TSchema>(item: T) =>
  Strict({
    items: Type.Array(item),
    totalCount: Type.Integer({ description: 'How many match, exactly.' }),
    page: Type.Integer(),
    pageSize: Type.Integer(),
    nextCursor: Nullable(
      Type.String({ description: 'Give it as cursor for the next page; null at the end.' }),
    ),
  });

interface Asked {
  readonly page?: number;
  readonly pageSize?: number;
  readonly cursor?: string;
  readonly sortBy?: string;
  readonly sortDir?: 'asc' | 'desc';
}

/** How a list may be sorted: from the public name to the column, the default first. */
export interface Sorting<SortBy extends string> {
  readonly columns: Readonly<Record<SortBy, string>>;
  readonly sortBy: SortBy;
  readonly sortDir: 'asc' | 'desc';
}

export interface Page {
  readonly number: number;
  readonly size: number;
  readonly sortBy: string;
  readonly sortDir: 'asc' | 'desc';
  readonly column: string;
  /** The last row of the page before, when a cursor was given. */
  readonly after: { readonly value: string; readonly id: string } | undefined;
}

interface Cursor {
  readonly b: string;
  readonly d: 'asc' | 'desc';
  readonly v: string;
  readonly i: string;
  readonly n: number;
}

export function readPage<SortBy extends string>(asked: Asked, sorting: Sorting<SortBy>): Page {
  const cursor = asked.cursor === undefined ? undefined : decodeCursor(asked.cursor);
  if (cursor !== undefined && asked.page !== undefined)
    throw invalid('/query/cursor', 'cannot be combined with page');
  const sortBy = (asked.sortBy ?? cursor?.b ?? sorting.sortBy) as SortBy;
  const sortDir = asked.sortDir ?? cursor?.d ?? sorting.sortDir;
  const column = Object.hasOwn(sorting.columns, sortBy) ? sorting.columns[sortBy] : undefined;
  if (column === undefined || (cursor !== undefined && (cursor.b !== sortBy || cursor.d !== sortDir))) {
    throw invalid('/query/cursor', 'belongs to a list that is sorted in another way');
  }
  return {
    number: cursor?.n ?? asked.page ?? 1,
    size: asked.pageSize ?? PAGE_SIZE,
    sortBy,
    sortDir,
    column,
    after: cursor === undefined ? undefined : { value: cursor.v, id: cursor.i },
  };
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

export function pageReply<Row extends { id: string }, Item>(
  rows: readonly Row[],
  totalCount: number | bigint,
  page: Page,
  present: (row: Row) => Item,
): Static<ReturnType<typeof ListReply<TSchema>>> & { items: Item[] } {
  const shown = rows.slice(0, page.size);
  const last = shown.at(-1);
  const nextCursor = rows.length > page.size && last !== undefined ? encodeCursor(page, last) : null;
  return {
    items: shown.map(present),
    totalCount: Number(totalCount),
    page: page.number,
    pageSize: page.size,
    nextCursor,
  };
}

function encodeCursor(page: Page, last: { id: string }): string {
  const value = (last as Record<string, unknown>)[page.column];
  const text = value instanceof Date ? value.toISOString() : String(value);
  const cursor: Cursor = { b: page.sortBy, d: page.sortDir, v: text, i: last.id, n: page.number + 1 };
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

const wrongCursor = (): Problem =>
  invalid('/query/cursor', 'is not a cursor of this list; give the nextCursor of an earlier answer');

/** Only the database knows what a column can be compared with: a made-up cursor fails there (class 22, data exception). */
export function cursorFault(error: unknown, query: unknown): Problem | undefined {
  const hasCursor = (query as Asked | undefined)?.cursor !== undefined;
  return hasCursor && isSqlError(error) && error.code.startsWith('22') ? wrongCursor() : undefined;
}

function decodeCursor(text: string): Cursor {
  const wrong = wrongCursor();
  let cursor: Partial<Cursor> | null;
  try {
    cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<Cursor> | null;
  } catch {
    throw wrong;
  }
  const isWhole =
    typeof cursor?.b === 'string' &&
    (cursor.d === 'asc' || cursor.d === 'desc') &&
    typeof cursor.v === 'string' &&
    !cursor.v.includes('\u0000') &&
    typeof cursor.i === 'string' &&
    isUuid(cursor.i) &&
    Number.isSafeInteger(cursor.n) &&
    (cursor.n as number) > 1;
  if (!isWhole) throw wrong;
  return cursor as Cursor;
}
