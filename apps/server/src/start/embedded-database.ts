import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '#platform/observability/log.ts';
import { type Cluster, openCluster } from '#platform/postgres/cluster.ts';
import { claimDataDirectory, DataDirectoryTaken } from './claim.ts';

interface EmbeddedOptions {
  readonly dataDir: string;
  readonly superuserPassword: string;
  readonly log: Log;
}

interface Held {
  readonly cluster: Cluster;
  readonly claim: pg.Client;
}

const RETRY_MS_FIRST = 100;
const RETRY_MS_MAX = 10_000;

/**
 * Our own PostgreSQL, claimed for this server. Nobody else looks after it, so one that dies under us (the kernel short
 * of memory, a mistaken kill) is started again; requests get 503 until it is back, and nothing committed is lost.
 * The session that holds the claim is what tells: it ends with the postmaster, and also when PostgreSQL restarts its
 * sessions after a crash of one of them, in which case the claim has to be taken anew.
 */
export class EmbeddedDatabase {
  /** Resolves if another server has taken the data directory in the meantime: then this one has to end. */
  readonly taken: Promise<DataDirectoryTaken>;
  readonly #options: EmbeddedOptions;
  readonly #stopping = new AbortController();
  #onTaken: (reason: DataDirectoryTaken) => void = () => {};
  #held: Held;
  #recovery: Promise<void> = Promise.resolve();

  private constructor(options: EmbeddedOptions, held: Held) {
    this.#options = options;
    this.#held = held;
    this.taken = new Promise((resolve) => {
      this.#onTaken = resolve;
    });
    this.#watch();
  }

  static async open(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
    return new EmbeddedDatabase(options, await hold(options));
  }

  /** Stays the same over restarts: the socket lies where it lay. */
  url(user: string, password: string, database: string): string {
    return this.#held.cluster.url(user, password, database);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#recovery;
    const { claim, cluster } = this.#held;
    await claim.end().catch(() => {});
    await cluster.stop();
  }

  #watch(): void {
    this.#held.claim.once('end', () => {
      if (!this.#stopping.signal.aborted) this.#recovery = this.#recover();
    });
  }

  async #recover(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    log.error('the database ended unexpectedly and is started again');
    for (let waitMs = RETRY_MS_FIRST; !signal.aborted; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      try {
        this.#held = await hold(this.#options);
        this.#watch();
        log.info('the database is back');
        return;
      } catch (error) {
        if (error instanceof DataDirectoryTaken) return this.#onTaken(error);
        log.error(
          { reason: (error as Error).message },
          'the database cannot be started; it will be tried again',
        );
        await sleep(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}

async function hold({ dataDir, superuserPassword, log }: EmbeddedOptions): Promise<Held> {
  const cluster = await openCluster({ dataDir, superuserPassword, log: (line) => log.debug(line) });
  try {
    return {
      cluster,
      claim: await claimDataDirectory(cluster.url('postgres', superuserPassword, 'postgres'), dataDir),
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
