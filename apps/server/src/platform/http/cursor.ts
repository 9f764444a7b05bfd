import { isUuid } from '#kernel/ids.ts';
import { isSqlError } from '#platform/db/connection.ts';
import type { Page } from '#platform/db/page.ts';
import { invalid } from './common.problems.ts';
import type { Problem } from './problem.ts';

/** Where a list goes on: how it is sorted, the last row shown, and the number of the next page. */
interface Cursor {
  readonly sortBy: string;
  readonly sortDir: 'asc' | 'desc';
  readonly value: string;
  readonly id: string;
  readonly page: number;
}

/** As callers see it: opaque, and good only for the list that it came from. */
export function encodeCursor(
  { sortBy, sortDir, number }: Page,
  last: { readonly value: string; readonly id: string },
): string {
  const cursor: Cursor = { sortBy, sortDir, ...last, page: number + 1 };
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

export function decodeCursor(text: string): Cursor {
  let cursor: Partial<Cursor> | null;
  try {
    cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<Cursor> | null;
  } catch {
    throw wrongCursor();
  }
  const isWhole =
    typeof cursor?.sortBy === 'string' &&
    (cursor.sortDir === 'asc' || cursor.sortDir === 'desc') &&
    typeof cursor.value === 'string' &&
    !cursor.value.includes('\u0000') &&
    typeof cursor.id === 'string' &&
    isUuid(cursor.id) &&
    Number.isSafeInteger(cursor.page) &&
    (cursor.page as number) > 1;
  if (!isWhole) throw wrongCursor();
  return cursor as Cursor;
}

/** Only the database knows what a column can be compared with: a made-up cursor fails there (class 22, data exception). */
export function cursorFault(error: unknown, query: unknown): Problem | undefined {
  const hasCursor = (query as { cursor?: unknown } | undefined)?.cursor !== undefined;
  return hasCursor && isSqlError(error) && error.code.startsWith('22') ? wrongCursor() : undefined;
}

const wrongCursor = (): Problem =>
  invalid('/query/cursor', 'is not a cursor of this list; give the nextCursor of an earlier answer');
