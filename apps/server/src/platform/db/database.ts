import type pg from 'pg';
import type { Clock } from '#kernel/clock.ts';
import { ACROSS_OPENING, AcrossScope, type AcrossTx } from './across-tx.ts';
import type { Actor } from './actor.ts';
import { Announcements } from './announcements.ts';
import { CopyOuts } from './copy-out.ts';
import type { Statement } from './group-query.ts';
import { Lanes } from './lanes.ts';
import { News } from './news.ts';
import { borrow, openPool, runSnapshot } from './pool.ts';
import { type AnyQuery, preparedSql, ready } from './query.ts';
import { type TenantReader, tenantReader } from './tenant-reader.ts';
import { TenantScope, type TenantTx } from './tenant-tx.ts';
import { Transaction } from './transaction.ts';

interface DatabaseOptions {
  readonly url: string;
  /** For transactions. */
  readonly poolSize: number;
  /** For reads that may take their time, so that none of them keeps a change waiting. */
  readonly slowPoolSize: number;
  readonly lanes: number;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

const platformTenant = preparedSql<{ platform_tenant_id: string }>('select platform_tenant_id from instance');
const existsElsewhere = preparedSql<{ found: boolean }>('select exists_in_other_tenant($1, $2, $3) as found');

/** The only way to the data. It opens connections when they are first needed. */
export class Database {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly #slowPool: pg.Pool;
  readonly announcements: Announcements;
  readonly #lanes: Lanes;
  readonly #copies: CopyOuts;
  readonly #clock: Clock;
  #platformTenantId: string | undefined;

  constructor(options: DatabaseOptions) {
    this.url = options.url;
    this.#clock = options.clock;
    this.announcements = new Announcements(options.url);
    this.#lanes = new Lanes(options.url, options.lanes);
    this.#copies = new CopyOuts(options.url);
    const { url, onError } = options;
    this.pool = openPool({ url, size: options.poolSize, name: 'tenantry', onError });
    this.#slowPool = openPool({ url, size: options.slowPoolSize, name: 'tenantry slow reads', onError });
  }

  reader(tenantId: string): TenantReader {
    return tenantReader(tenantId, {
      lanes: (statements) => this.#lanes.run(statements),
      pooled: (statements) => runSnapshot(this.#slowPool, statements),
      copyOut: (opening, statement, form) => this.#copies.start(tenantId, opening, statement, form),
    });
  }

  /** Reads what belongs to no tenant: platform tables, and the functions that authentication stands on. */
  async platformRows<Row>(query: AnyQuery<Row>): Promise<Row[]> {
    return (await this.#lanes.run([ready(query)]))[0]?.rows as Row[];
  }

  /** Runs the work in one transaction as the tenant, and writes the audit entries with it. */
  async inTenant<T>(tenantId: string, actor: Actor, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    const news = new News(this.announcements);
    const transaction = new Transaction(() => borrow(this.pool), TenantScope.opening(tenantId));
    const scope = new TenantScope(transaction, tenantId, news);
    return scope.explaining(() =>
      this.#settle(transaction, news, async () => {
        const result = await work(scope.tx);
        return [result, scope.closing(actor, this.#clock.now())];
      }),
    );
  }

  /** The one door to work across tenants. It always leaves an audit row that tells who, when and the reason. */
  async acrossTenants<T>(reason: string, actor: Actor, work: (tx: AcrossTx) => Promise<T>): Promise<T> {
    const news = new News(this.announcements);
    const transaction = new Transaction(() => borrow(this.pool), ACROSS_OPENING);
    return this.#settle(transaction, news, async () => {
      const now = this.#clock.now();
      const scope = new AcrossScope(transaction, actor, now, news);
      const result = await work(scope.tx);
      if (scope.isUntouched) return [result, []];
      return [result, scope.closing(reason, actor, now, await this.platformTenantId(scope.tx))];
    });
  }

  async platformTenantId(tx?: AcrossTx): Promise<string> {
    if (this.#platformTenantId === undefined) {
      const rows =
        tx === undefined ? await this.platformRows(platformTenant()) : await tx.rows(platformTenant());
      if (rows[0] === undefined) throw new Error('The database has no platform tenant yet.');
      this.#platformTenantId = rows[0].platform_tenant_id;
    }
    return this.#platformTenantId;
  }

  /** Whether another tenant has a resource of this id. Asked only after a miss, to tell 403 from 404. */
  async existsInOtherTenant(table: string, id: string, ownTenantId: string): Promise<boolean> {
    return (await this.platformRows(existsElsewhere(table, id, ownTenantId)))[0]?.found === true;
  }

  async close(): Promise<void> {
    await Promise.all([
      this.announcements.close(),
      this.#lanes.close(),
      this.#copies.close(),
      this.pool.end(),
      this.#slowPool.end(),
    ]);
  }

  async #settle<T>(transaction: Transaction, news: News, work: () => Promise<[T, Statement[]]>): Promise<T> {
    let result: T;
    try {
      const [value, closing] = await work();
      await transaction.commit([...closing, ...news.statements]);
      result = value;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    news.tell(); // before the caller is answered, so that this node never acts on what it has just changed
    return result;
  }
}
