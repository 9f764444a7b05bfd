import type { Actor } from './actor.ts';
import { auditInsert } from './audit.ts';
import { isSqlError } from './connection.ts';
import type { Statement } from './group-query.ts';
import { countChange } from './kept-count.ts';
import type { News } from './news.ts';
import { type DomainEvent, outboxInsert } from './outbox.ts';
import { tenantSetting } from './tenant-reader.ts';
import type { Transaction } from './transaction.ts';
import { type Asked, type Leavings, nothingLeft, type Tx, txOf } from './tx.ts';

/** Kept in this file, so that nobody else can make such an object. */
const madeHere = Symbol('made by platform/db');

/**
 * A transaction as one tenant. Only the Database can make one, from a principal. One that wrote something and left no
 * audit entry is refused.
 */
export interface TenantTx extends Tx {
  readonly [madeHere]: true;
  readonly tenantId: string;
  /** Tells others of the change: the event is committed with it, or not at all. */
  emit(event: DomainEvent): void;
  /** Adds to the kept count of a kind of rows. */
  count(name: string, by: number): void;
  /** What to throw when a constraint refuses, also one that is met only at the commit. */
  whenViolated(constraint: string, explain: () => Error): void;
}

/** What a TenantTx has gathered by the time its work is done. */
export class TenantScope {
  readonly tx: TenantTx;
  readonly tenantId: string;
  readonly #transaction: Transaction;
  readonly #leavings: Leavings;
  readonly #events: DomainEvent[] = [];
  readonly #counts = new Map<string, number>();
  readonly #explanations = new Map<string, () => Error>();
  readonly #writtenBefore: number;
  #isOver = false;

  constructor(transaction: Transaction, tenantId: string, news: News) {
    this.tenantId = tenantId;
    this.#transaction = transaction;
    this.#writtenBefore = transaction.written;
    this.#leavings = nothingLeft(news);
    const requireOpen = (): void => {
      if (this.#isOver)
        throw new Error('The work as this tenant is over; what is asked now would be asked as another.');
    };
    const asked: Asked = {
      run: (statements) => {
        requireOpen();
        return transaction.run(statements);
      },
      queue: (statement) => {
        requireOpen();
        transaction.queue(statement);
      },
    };
    this.tx = {
      [madeHere]: true,
      tenantId,
      ...txOf(asked, this.#leavings),
      emit: (event) => void this.#events.push(event),
      count: (name, by) => void this.#counts.set(name, (this.#counts.get(name) ?? 0) + by),
      whenViolated: (constraint, explain) => void this.#explanations.set(constraint, explain),
    };
  }

  /** Runs what may violate a constraint; the caller is then told in the words of whoever knew that it might. */
  async explaining<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const constraint = isSqlError(error) ? error.constraint : undefined;
      throw this.#explanations.get(constraint ?? '')?.() ?? error;
    }
  }

  /** The statements that must go in before the commit. Throws when something was changed and nothing was told of it. */
  closing(actor: Actor, at: Date): Statement[] {
    this.#isOver = true;
    const { entries, last } = this.#leavings;
    const hasWritten = this.#transaction.written > this.#writtenBefore || this.#transaction.hasQueued;
    if (entries.length === 0 && hasWritten) {
      throw new Error('A transaction changed rows and left no audit entry; call tx.audit().');
    }
    return [
      ...last,
      ...(this.#events.length === 0 ? [] : [outboxInsert(this.#events, at)]),
      ...(entries.length === 0 ? [] : [auditInsert(entries, actor, at)]),
      // Last, and in the order of their names: the rows of counts are locks that transactions share.
      ...[...this.#counts].sort().map(([name, by]) => countChange(name, by)),
    ];
  }

  static opening(tenantId: string): readonly Statement[] {
    return [tenantSetting(tenantId)];
  }
}
