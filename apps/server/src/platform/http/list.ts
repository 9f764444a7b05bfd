import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import type { Listed, Page } from '#platform/db/page.ts';
import { invalid } from './common.problems.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { Nullable, OneOf, Strict } from './schemas.ts';

const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;
/** A cursor holds a value of the column that it is sorted by: 500 characters of four bytes each, in base64. */
const CURSOR_LENGTH_MAX = 4_000;

/** How a list may be sorted: from each public name to its column, and how it is unless the caller says. */
export interface Sorting<SortBy extends string> {
  readonly columns: Readonly<Record<SortBy, string>>;
  readonly sortBy: NoInfer<SortBy>;
  /** Of the column that it is sorted by unless the caller says; any other is sorted upwards. */
  readonly sortDir: 'asc' | 'desc';
}

/** The query of a list: paging and sorting as everywhere, plus the filters of this one. */
export const ListQuery = <SortBy extends string, Filters extends TProperties>(
  sorting: Sorting<SortBy>,
  filters: Filters,
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
        maxLength: CURSOR_LENGTH_MAX,
        description: 'The nextCursor of the page before; its cost does not grow with depth.',
      }),
    ),
    sortBy: Type.Optional(OneOf(Object.keys(sorting.columns) as SortBy[])),
    sortDir: Type.Optional(OneOf(['asc', 'desc'] as const)),
    ...filters,
  });

/** `Product` becomes `ProductList`. */
export function ListReply<T extends TSchema>(item: T) {
  const { title } = item as { title?: string };
  return Strict(
    {
      items: Type.Array(item),
      totalCount: Type.Integer({ description: 'How many match, exactly.' }),
      page: Type.Integer(),
      pageSize: Type.Integer(),
      nextCursor: Nullable(
        Type.String({ description: 'Give it as cursor for the next page; null at the end.' }),
      ),
    },
    title === undefined ? {} : { title: `${title}List` },
  );
}

interface Asked {
  readonly page?: number;
  readonly pageSize?: number;
  readonly cursor?: string;
  readonly sortBy?: string;
  readonly sortDir?: 'asc' | 'desc';
}

export function readPage<SortBy extends string>(asked: Asked, sorting: Sorting<SortBy>): Page {
  const cursor = asked.cursor === undefined ? undefined : decodeCursor(asked.cursor);
  if (cursor !== undefined && asked.page !== undefined)
    throw invalid('/query/cursor', 'cannot be combined with page');
  const sortBy = (asked.sortBy ?? cursor?.sortBy ?? sorting.sortBy) as SortBy;
  const sortDir = asked.sortDir ?? cursor?.sortDir ?? (sortBy === sorting.sortBy ? sorting.sortDir : 'asc');
  const column = Object.hasOwn(sorting.columns, sortBy) ? sorting.columns[sortBy] : undefined;
  if (
    column === undefined ||
    (cursor !== undefined && (cursor.sortBy !== sortBy || cursor.sortDir !== sortDir))
  ) {
    throw invalid('/query/cursor', 'belongs to a list that is sorted in another way');
  }
  return {
    number: cursor?.page ?? asked.page ?? 1,
    size: asked.pageSize ?? PAGE_SIZE,
    sortBy,
    sortDir,
    column,
    after: cursor === undefined ? undefined : { value: cursor.value, id: cursor.id },
  };
}

export const pageReply = <Item, Shown>(
  { items, totalCount, last }: Listed<Item>,
  page: Page,
  present: (item: Item) => Shown,
): Static<ReturnType<typeof ListReply<TSchema>>> & { items: Shown[] } => ({
  items: items.map(present),
  totalCount,
  page: page.number,
  pageSize: page.size,
  nextCursor: last === undefined ? null : encodeCursor(page, last),
});
