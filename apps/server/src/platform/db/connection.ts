import type pg from 'pg';
import { GroupQuery, type ResultSet, type Statement } from './group-query.ts';

/** The database cannot be reached, or the connection broke: answered with 503. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** An error that PostgreSQL itself reported. */
export interface SqlError extends Error {
  readonly code: string;
  readonly constraint?: string;
  readonly severity?: string;
}

export const isSqlError = (error: unknown): error is SqlError =>
  error instanceof Error && typeof (error as { severity?: unknown }).severity === 'string';

/** Classes 08 and 57P: the server went away, is starting or is stopping; 53300: it takes no more connections. */
const isUnavailable = (error: Error): boolean =>
  isSqlError(error) ? /^(08|57P|53300)/.test(error.code) : true;

export const asUnavailable = (error: Error): Error =>
  isUnavailable(error) ? new DatabaseUnavailable(error.message, { cause: error }) : error;

/** Sends the statements as one group over a pipelining client and waits for all their results. */
export function runGroup(client: pg.ClientBase, statements: readonly Statement[]): Promise<ResultSet[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new GroupQuery(statements, (error, results) =>
        error === null ? resolve(results) : reject(asUnavailable(error)),
      ),
    );
  });
}
