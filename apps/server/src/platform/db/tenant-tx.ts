import type { Actor } from './actor.ts';
import { auditInsert } from './audit.ts';
import type { ResultSet, Statement } from './group-query.ts';
import type { News } from './news.ts';
import { tenantSetting } from './tenant-reader.ts';
import type { Transaction } from './transaction.ts';
import { type Leavings, type Tx, txOf } from './tx.ts';

/** Kept in this file, so that nobody else can make such an object. */
const madeHere = Symbol('made by platform/db');

/**
 * A transaction as one tenant. Only the Database can make one, from a principal. One that wrote something and left no
 * audit entry is refused.
 */
export interface TenantTx extends Tx {
  readonly [madeHere]: true;
  readonly tenantId: string;
}

/** What a TenantTx has gathered by the time its work is done. */
export class TenantScope {
  readonly tx: TenantTx;
  readonly tenantId: string;
  readonly #transaction: Transaction;
  readonly #leavings: Leavings;
  readonly #writtenBefore: number;
  #isOver = false;

  constructor(transaction: Transaction, tenantId: string, news: News) {
    this.tenantId = tenantId;
    this.#transaction = transaction;
    this.#writtenBefore = transaction.written;
    this.#leavings = { entries: [], last: [], news };
    const run = (statements: readonly Statement[]): Promise<ResultSet[]> => {
      if (this.#isOver)
        throw new Error('The work as this tenant is over; what is asked now would be asked as another.');
      return transaction.run(statements);
    };
    this.tx = { [madeHere]: true, tenantId, ...txOf(run, this.#leavings) };
  }

  /** The statements that must go in before the commit. Throws when something was changed and nothing was told of it. */
  closing(actor: Actor, at: Date): Statement[] {
    this.#isOver = true;
    const { entries, last } = this.#leavings;
    if (entries.length > 0) return [...last, auditInsert(entries, actor, at)];
    if (this.#transaction.written > this.#writtenBefore) {
      throw new Error('A transaction changed rows and left no audit entry; call tx.audit().');
    }
    return last;
  }

  static opening(tenantId: string): readonly Statement[] {
    return [tenantSetting(tenantId)];
  }
}
