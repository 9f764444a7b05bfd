import pg from 'pg';

interface Column {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

export interface RowShape {
  readonly columns: readonly Column[];
}

const INT8 = 20;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/** int8 may exceed a double, so it is a bigint; a date has no time zone, so it stays the text that it is. */
const readers = new Map<number, (text: string) => unknown>([
  [INT8, (text) => BigInt(text)],
  [DATE, (text) => text],
  [TIMESTAMPTZ, readTimestamp],
]);

const readAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => unknown;
const IN_UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?\+00$/;

/** What we store has milliseconds and is told in UTC; then Date reads it faster than a parser for every case. */
function readTimestamp(text: string): unknown {
  if (!IN_UTC.test(text)) return readAnyTimestamp(text);
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}

const readerOf = (typeId: number): ((text: string) => unknown) =>
  readers.get(typeId) ?? (pg.types.getTypeParser(typeId, 'text') as (text: string) => unknown);

export const rowShape = (fields: readonly { name: string; dataTypeID: number }[]): RowShape => ({
  columns: fields.map((field) => ({ name: field.name, read: readerOf(field.dataTypeID) })),
});

export function readRow(shape: RowShape, values: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < shape.columns.length; i++) {
    const column = shape.columns[i] as Column;
    const value = values[i];
    row[column.name] = value == null ? null : column.read(value);
  }
  return row;
}
