import type pg from 'pg';
import { runGroup } from './connection.ts';
import type { ResultSet, Statement } from './group-query.ts';

const BEGIN: Statement = { text: 'begin', values: [], name: 'begin' };
const COMMIT: Statement = { text: 'commit', values: [], name: 'commit' };

/**
 * A transaction that begins with its first statement, in the same write, and commits together with its last ones.
 * What nobody waits for is queued and goes along. So an insert costs one round trip, one that looks first costs two,
 * and a transaction that never asked anything costs none (ADR 0017).
 */
export class Transaction {
  readonly #borrow: () => Promise<pg.PoolClient>;
  readonly #opening: readonly Statement[];
  #client: Promise<pg.PoolClient> | undefined;
  /** Why nothing more may be asked. The connection may serve another tenant by now. */
  #closed: string | undefined;
  /** Rows inserted, updated and deleted so far. */
  written = 0;
  #queue: Statement[] = [];

  /** `opening`: what is set right after `begin`, for this transaction only. */
  constructor(borrow: () => Promise<pg.PoolClient>, opening: readonly Statement[]) {
    this.#borrow = borrow;
    this.#opening = opening;
  }

  get hasBegun(): boolean {
    return this.#client !== undefined;
  }

  async run(statements: readonly Statement[]): Promise<ResultSet[]> {
    if (this.#closed !== undefined) throw new Error(this.#closed);
    const queued = this.#takeQueue();
    return (await this.#run([...queued, ...statements])).slice(queued.length);
  }

  /** Is sent ahead of whatever is asked next, or of the commit, in the same write. */
  queue(statement: Statement): void {
    if (this.#closed !== undefined) throw new Error(this.#closed);
    this.#queue.push(statement);
  }

  get hasQueued(): boolean {
    return this.#queue.length > 0;
  }

  #takeQueue(): Statement[] {
    const queued = this.#queue;
    this.#queue = [];
    return queued;
  }

  /** From here on there is nothing but to roll back, even if someone catches what went wrong. */
  spoil(reason: string): void {
    this.#closed ??= reason;
  }

  async #run(statements: readonly Statement[]): Promise<ResultSet[]> {
    if (this.#client !== undefined) return this.#send(await this.#client, statements);
    const preface = [BEGIN, ...this.#opening];
    this.#client = this.#borrow();
    const results = await this.#send(await this.#client, [...preface, ...statements]);
    return results.slice(preface.length);
  }

  /** Sends the last statements and the commit in one write. */
  async commit(last: readonly Statement[]): Promise<void> {
    if (this.#closed !== undefined) throw new Error(this.#closed);
    this.#closed = 'The transaction has ended; await everything that is asked of it before its work returns.';
    const rest = [...this.#takeQueue(), ...last];
    if (this.#client === undefined && rest.length === 0) return;
    await this.#run([...rest, COMMIT]);
    (await this.#client)?.release();
  }

  /** Gives up what was done. A connection that cannot even do that is thrown away. */
  async rollback(): Promise<void> {
    this.#closed ??= 'The transaction was rolled back.';
    const client = await this.#client?.catch(() => undefined);
    if (client === undefined) return;
    try {
      await runGroup(client, [{ text: 'rollback', values: [] }]);
      client.release();
    } catch (error) {
      client.release(error as Error);
    }
  }

  async #send(client: pg.PoolClient, statements: readonly Statement[]): Promise<ResultSet[]> {
    const results = await runGroup(client, statements);
    for (const result of results) this.written += result.written;
    return results;
  }
}
