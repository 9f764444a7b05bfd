import type { Actor } from './actor.ts';
import { type AuditEntry, auditInsert } from './audit.ts';
import type { Statement } from './group-query.ts';
import type { News } from './news.ts';
import { tenantSetting } from './tenant-reader.ts';
import { TenantScope, type TenantTx } from './tenant-tx.ts';
import type { Transaction } from './transaction.ts';
import { type Asked, type Leavings, nothingLeft, type Tx, txOf } from './tx.ts';

/** Kept in this file, so that nobody else can make such an object. */
const madeHere = Symbol('made by platform/db');

/** A transaction that sees every tenant. It is had only through `acrossTenants`, which leaves an audit row. */
export interface AcrossTx extends Tx {
  readonly [madeHere]: true;
  /** An entry in the audit log of the platform tenant, beside the one that the door leaves by itself. */
  audit(entry: AuditEntry): void;
  /** Steps into one tenant, in the same transaction: the work sees that tenant and no other. */
  asTenant<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T>;
}

export const ACROSS_OPENING: readonly Statement[] = [{ text: 'set local role tenantry_across', values: [] }];
const LEAVE_ACROSS: Statement = { text: 'set local role none', values: [] };
/** So that an insert across tenants must name its tenant, instead of falling to the last one stepped into. */
const NO_TENANT: Statement = { text: `select set_config('app.tenant_id', '', true)`, values: [] };

export class AcrossScope {
  readonly tx: AcrossTx;
  readonly #transaction: Transaction;
  readonly #leavings: Leavings;
  /** The tenant stepped into. Until the work there is done, nobody may ask as anyone else. */
  #inside: string | undefined;

  constructor(transaction: Transaction, actor: Actor, at: Date, news: News) {
    this.#transaction = transaction;
    this.#leavings = nothingLeft(news);
    const asked: Asked = {
      run: (statements) => {
        this.#requireOutside();
        return transaction.run(statements);
      },
      queue: (statement) => {
        this.#requireOutside();
        transaction.queue(statement);
      },
    };
    this.tx = {
      [madeHere]: true,
      ...txOf(asked, this.#leavings),
      asTenant: async (tenantId, work) => {
        this.#requireOutside();
        this.#inside = tenantId;
        try {
          await transaction.run([LEAVE_ACROSS, tenantSetting(tenantId)]);
          const scope = new TenantScope(transaction, tenantId, news);
          const result = await scope.explaining(async () => {
            const made = await work(scope.tx);
            await transaction.run([...scope.closing(actor, at), NO_TENANT, ...ACROSS_OPENING]);
            return made;
          });
          this.#inside = undefined;
          return result;
        } catch (error) {
          transaction.spoil('The work as a tenant failed, so all that was done with it is given up.');
          throw error;
        }
      },
    };
  }

  #requireOutside(): void {
    if (this.#inside !== undefined)
      throw new Error(`The work as the tenant ${this.#inside} is still under way.`);
  }

  /** Nothing asked of the database is nothing to tell. */
  get isUntouched(): boolean {
    return !this.#transaction.hasBegun && !this.#transaction.hasQueued;
  }

  closing(reason: string, actor: Actor, at: Date, platformTenantId: string): Statement[] {
    const door = { action: 'platform.acrossTenants', resourceType: 'platform', resourceId: null, reason };
    const { entries, last } = this.#leavings;
    return [...last, auditInsert([door, ...entries], actor, at, platformTenantId)];
  }
}
