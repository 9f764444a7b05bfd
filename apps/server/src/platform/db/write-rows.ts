import type { Insertable } from 'kysely';
import type { Statement } from './group-query.ts';
import { preparedSql } from './query.ts';
import type { DB } from './schema.ts';

/** A text for every number of rows would fill the connections with plans that are seldom asked for. */
const PREPARED_ROWS_MAX = 4;

/** What is written of a row: every column that is named, so that none is forgotten. */
export type Written<Table extends keyof DB, Column extends keyof Insertable<DB[Table]>> = Pick<
  Insertable<DB[Table]>,
  Column
>;

/**
 * An insert that runs with nearly every change, so it is written once for each number of rows. Building the one for a
 * single audit entry anew took longer than the database needs to carry it out.
 */
export function insertRows<Table extends keyof DB, Column extends keyof Insertable<DB[Table]> & string>(
  table: Table,
  columns: readonly Column[],
): (rows: readonly Written<Table, Column>[]) => Statement {
  const texts: ((...values: unknown[]) => Statement)[] = [];
  return (rows) => {
    const values = rows.flatMap((row) => columns.map((column) => row[column]));
    const count = rows.length;
    texts[count] ??= statementFor(insertText(table, columns, count), count);
    return (texts[count] as (typeof texts)[number])(...values);
  };
}

const statementFor = (text: string, rows: number): ((...values: unknown[]) => Statement) =>
  rows <= PREPARED_ROWS_MAX ? preparedSql(text) : (...values) => ({ text, values });

function insertText(table: string, columns: readonly string[], rows: number): string {
  const row = (n: number): string =>
    `(${columns.map((_, i) => `$${n * columns.length + i + 1}`).join(', ')})`;
  return `insert into ${table} (${columns.join(', ')}) values ${Array.from({ length: rows }, (_, n) => row(n)).join(', ')}`;
}

/** An update of one row by its id, written once. */
export function updateRow<Table extends keyof DB, Column extends keyof Insertable<DB[Table]> & string>(
  table: Table,
  columns: readonly Column[],
): (id: string, row: Written<Table, Column>) => Statement {
  const assignments = columns.map((column, i) => `${column} = $${i + 2}`);
  const statement = preparedSql(`update ${table} set ${assignments.join(', ')} where id = $1`);
  return (id, row) => statement(id, ...columns.map((column) => row[column]));
}
