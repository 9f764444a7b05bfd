import pg from 'pg';
import { asUnavailable, DatabaseUnavailable, runGroup } from './connection.ts';
import type { ResultSet, Statement } from './group-query.ts';
import { POOL_OPTIONS } from './planner.ts';

interface PoolSpec {
  readonly url: string;
  readonly size: number;
  readonly name: string;
  readonly onError: (error: Error) => void;
}

/** Connections that are lent out, one user at a time. */
export function openPool({ url, size, name, onError }: PoolSpec): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: name,
    options: POOL_OPTIONS,
  } as pg.PoolConfig);
  pool.on('error', onError);
  // The pool looks after idle connections only. One that breaks while it is lent out would end the process by an
  // error event that nobody hears; whoever asks something of it is told by that.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export const borrow = (pool: pg.Pool): Promise<pg.PoolClient> =>
  pool.connect().catch((error: Error) => {
    throw asUnavailable(error);
  });

const BEGIN: Statement = {
  text: 'begin isolation level repeatable read, read only',
  values: [],
  name: 'snapshot',
};
const COMMIT: Statement = { text: 'commit', values: [], name: 'commit' };
const ROLLBACK: Statement = { text: 'rollback', values: [] };

/** Several reads of one moment: what a page shows and how many there are agree, whatever is written meanwhile. */
export async function runSnapshot(pool: pg.Pool, statements: readonly Statement[]): Promise<ResultSet[]> {
  const client = await borrow(pool);
  try {
    const results = await runGroup(client, [BEGIN, ...statements, COMMIT]);
    client.release();
    return results.slice(1, -1);
  } catch (error) {
    const isLost = error instanceof DatabaseUnavailable || !(await isUndone(client));
    client.release(isLost);
    throw error;
  }
}

const isUndone = (client: pg.PoolClient): Promise<boolean> =>
  runGroup(client, [ROLLBACK]).then(
    () => true,
    () => false,
  );
