import { Socket } from 'node:net';
import pg from 'pg';

/** Any constant will do: nobody else takes advisory locks in the database `postgres`. */
const lockKey = '8387794183391802221';

/**
 * A session that shows PostgreSQL is in use, for as long as the process lives and however it ends. Several
 * servers may share one cluster (a second `npm start`, a worker of its own): only the last one to leave may
 * stop it.
 */
export interface Hold {
  /** Gives the hold up. Answers whether nobody else has one; then nobody new gets one until `close`. */
  release(): Promise<boolean>;
  close(): void;
}

export async function takeHold(socketDirectory: string, port: number, password: string): Promise<Hold> {
  const socket = new Socket();
  const client = new pg.Client({
    host: socketDirectory,
    port,
    user: 'postgres',
    password,
    database: 'postgres',
    ssl: false,
    application_name: 'tenantry hold',
    connectionTimeoutMillis: 5_000,
    lock_timeout: 5_000,
    query_timeout: 10_000,
    stream: () => socket,
  });
  // PostgreSQL may end before we do. Whoever needs it notices by a query of their own.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // Waits while somebody has it exclusively, which ends with the shutdown and the loss of this connection.
    await client.query(`select pg_advisory_lock_shared(${lockKey})`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  // A process that has nothing else to do may end: the hold is no reason to stay.
  socket.unref();

  return {
    async release() {
      socket.ref();
      try {
        await client.query(`select pg_advisory_unlock_shared(${lockKey})`);
        const { rows } = await client.query<{ last: boolean }>(
          `select pg_try_advisory_lock(${lockKey}) as last`,
        );
        return rows[0]?.last === true;
      } catch {
        // PostgreSQL went down or hangs: nobody has any use for it.
        return true;
      }
    },
    close() {
      // Without a farewell, for which one would have to wait: PostgreSQL may hang.
      socket.destroy();
    },
  };
}
