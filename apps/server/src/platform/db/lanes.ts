import type { Writable } from 'node:stream';
import pg from 'pg';
import { asUnavailable, DatabaseUnavailable, isSqlError, runGroup } from './connection.ts';
import type { ResultSet, Statement } from './group-query.ts';
import { LANE_OPTIONS } from './planner.ts';
import { unnamed } from './query.ts';

interface Lane {
  readonly client: pg.Client;
  readonly connected: Promise<unknown>;
  waiting: number;
  isGathering: boolean;
}

/** 26000: the prepared statement is unknown there; 0A000: its result type changed under it. Preparing it anew heals both. */
const isStalePlan = (error: unknown): boolean =>
  isSqlError(error) && (error.code === '26000' || error.code === '0A000');

/**
 * A few shared connections over which short reads are pipelined: many requests' reads are under way on one
 * connection at the same time, and each is a group of its own. Only short indexed reads belong here, since one slow
 * query holds up all behind it; hence the statement timeout. Nothing is ever cancelled on a lane: a cancellation
 * would hit whichever query happens to be running.
 */
export class Lanes {
  readonly #config: pg.ClientConfig;
  readonly #lanes: (Lane | undefined)[];
  #closed = false;

  constructor(connectionString: string, count: number) {
    this.#config = {
      connectionString,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: 3_000,
      statement_timeout: 2_000,
      options: LANE_OPTIONS,
      application_name: 'tenantry lane',
    } as pg.ClientConfig;
    this.#lanes = new Array<Lane | undefined>(count).fill(undefined);
  }

  async run(statements: readonly Statement[]): Promise<ResultSet[]> {
    const [index, lane] = this.#leastBusy();
    try {
      return await this.#runOn(lane, statements);
    } catch (error) {
      // Without names the group relies on nothing that another has prepared. Those who come later prepare it anew.
      if (isStalePlan(error)) return this.#runOn(lane, statements.map(unnamed));
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.#retire(index, lane);
      return this.#runOn(this.#leastBusy()[1], statements); // a read may be sent again; once, then the caller is told
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#lanes.map((lane) => lane?.client.end().catch(() => {})));
  }

  async #runOn(lane: Lane, statements: readonly Statement[]): Promise<ResultSet[]> {
    lane.waiting++;
    try {
      await lane.connected;
      gather(lane);
      return await runGroup(lane.client, statements);
    } finally {
      lane.waiting--;
    }
  }

  #leastBusy(): [number, Lane] {
    let best = 0;
    for (let i = 0; i < this.#lanes.length; i++) {
      const lane = this.#lanes[i];
      if (lane === undefined) return [i, this.#open(i)];
      if (lane.waiting < (this.#lanes[best] as Lane).waiting) best = i;
    }
    return [best, this.#lanes[best] as Lane];
  }

  #open(index: number): Lane {
    if (this.#closed) throw new DatabaseUnavailable('the server is stopping');
    const client = new pg.Client(this.#config);
    const connected = client.connect().catch((error: Error) => {
      throw asUnavailable(error);
    });
    connected.catch(() => {}); // those who wait on it see the failure themselves
    const lane: Lane = { client, connected, waiting: 0, isGathering: false };
    client.on('error', () => this.#retire(index, lane));
    client.on('end', () => this.#retire(index, lane));
    this.#lanes[index] = lane;
    return lane;
  }

  /** Takes the lane out of service; what is under way on it still ends. */
  #retire(index: number, lane: Lane): void {
    if (this.#lanes[index] !== lane) return;
    this.#lanes[index] = undefined;
    lane.client.end().catch(() => {});
  }
}

/**
 * What all requests of one turn of the event loop ask goes out in one write. Under load that took PostgreSQL from some
 * 83 to 47 µs of CPU a read (two runs on a busy machine, so a rough figure); a lone read waits only for its turn to end.
 */
function gather(lane: Lane): void {
  if (lane.isGathering) return;
  lane.isGathering = true;
  const { stream } = (lane.client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  setImmediate(() => {
    lane.isGathering = false;
    stream.uncork();
  });
}
