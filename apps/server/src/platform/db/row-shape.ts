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

/** int8 may exceed a double, so it is a bigint; a date has no time zone, so it stays the text that it is. */
const readers = new Map<number, (text: string) => unknown>([
  [INT8, (text) => BigInt(text)],
  [DATE, (text) => text],
]);

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
