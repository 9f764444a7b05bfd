import type { Actor } from './actor.ts';
import type { Topic } from './announcements.ts';
import { type AuditEntry, auditInsert } from './audit.ts';
import type { ResultSet, Statement } from './group-query.ts';
import type { News } from './news.ts';
import { type AnyQuery, ready } from './query.ts';
import { tenantSetting } from './tenant-reader.ts';
import type { Transaction } from './transaction.ts';

/** Kept in this file, so that nobody else can make such an object. */
const madeHere = Symbol('made by platform/db');

/** A transaction as one tenant. Only the Database can make one, from a principal. */
export interface TenantTx {
  readonly [madeHere]: true;
  readonly tenantId: string;
  rows<Row>(query: AnyQuery<Row>): Promise<Row[]>;
  first<Row>(query: AnyQuery<Row>): Promise<Row | undefined>;
  /** Runs a statement for its effect and tells how many rows it touched. */
  write(query: AnyQuery<unknown>): Promise<number>;
  /** Several statements in one round trip, in this order; the rows of each. */
  batch(queries: readonly AnyQuery<unknown>[]): Promise<Record<string, unknown>[][]>;
  /** Leaves a trace of the change. A transaction that wrote something and left none is refused. */
  audit(entry: AuditEntry): void;
  /** A statement that goes out with the commit, in the same write; what it touches needs no audit entry. */
  atCommit(query: AnyQuery<unknown>): void;
  /** Tells every node, this one before the caller is answered, that what it may have cached has changed. */
  announce(topic: Topic, payload: string): void;
}

/** What a TenantTx has gathered by the time its work is done. */
export class TenantScope {
  readonly tx: TenantTx;
  readonly tenantId: string;
  readonly #transaction: Transaction;
  readonly #entries: AuditEntry[] = [];
  readonly #last: Statement[] = [];
  readonly #writtenBefore: number;
  #isOver = false;

  constructor(transaction: Transaction, tenantId: string, news: News) {
    this.tenantId = tenantId;
    this.#transaction = transaction;
    this.#writtenBefore = transaction.written;
    const run = (queries: readonly AnyQuery<unknown>[]): Promise<ResultSet[]> => {
      if (this.#isOver)
        throw new Error('The work as this tenant is over; what is asked now would be asked as another.');
      return transaction.run(queries.map(ready));
    };
    const rows = async <Row>(query: AnyQuery<Row>): Promise<Row[]> => (await run([query]))[0]?.rows as Row[];
    this.tx = {
      [madeHere]: true,
      tenantId,
      rows,
      first: async (query) => (await rows(query))[0],
      write: async (query) => (await run([query]))[0]?.written ?? 0,
      batch: async (queries) => (await run(queries)).map((result) => result.rows),
      audit: (entry) => void this.#entries.push(entry),
      atCommit: (query) => void this.#last.push(ready(query)),
      announce: (topic, payload) => news.add(topic, payload),
    };
  }

  /** The statements that must go in before the commit. Throws when something was changed and nothing was told of it. */
  closing(actor: Actor, at: Date): Statement[] {
    this.#isOver = true;
    if (this.#entries.length > 0) return [...this.#last, auditInsert(this.#entries, actor, at)];
    if (this.#transaction.written > this.#writtenBefore) {
      throw new Error('A transaction changed rows and left no audit entry; call tx.audit().');
    }
    return this.#last;
  }

  static opening(tenantId: string): readonly Statement[] {
    return [tenantSetting(tenantId)];
  }
}
