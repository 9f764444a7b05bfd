import { createRequire } from 'node:module';
import pg from 'pg';
import type { Statement } from '#platform/db/group-query.ts';
import { countChange } from '#platform/db/kept-count.ts';
import { LANE_OPTIONS, POOL_OPTIONS } from '#platform/db/planner.ts';
import { type AnyQuery, ready } from '#platform/db/query.ts';
import { type TenantReader, tenantSetting } from '#platform/db/tenant-reader.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';

const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  prepareValue: (value: unknown) => string | null;
};

/** What the application would send, and over which kind of connection. */
export interface Sent extends Statement {
  readonly over: 'lane' | 'pool';
}

/** A reader that sends nothing and keeps what it was asked, so that plans are looked at of the very text that is sent. */
export async function sentBy(
  tenantId: string,
  work: (db: TenantReader) => Promise<unknown>,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const keep =
    (over: Sent['over']) =>
    async (queries: readonly AnyQuery<unknown>[]): Promise<Record<string, unknown>[][]> => {
      sent.push(...queries.map((query) => ({ ...ready(query), over })));
      return queries.map(() => []);
    };
  const reader = {
    tenantId,
    rows: async (query: AnyQuery<unknown>) => (await keep('lane')([query]))[0],
    first: async (query: AnyQuery<unknown>) => (await keep('lane')([query]))[0]?.[0],
    batch: keep('lane'),
    slowBatch: keep('pool'),
  };
  await work(reader as unknown as TenantReader);
  return sent;
}

/** The same of a transaction: what it asks, and what it leaves for the commit. */
export async function sentInTx(
  tenantId: string,
  row: Record<string, unknown>,
  work: (tx: TenantTx) => unknown,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const keep = (query: AnyQuery<unknown>): void => void sent.push({ ...ready(query), over: 'pool' });
  const tx = {
    tenantId,
    first: async (query: AnyQuery<unknown>) => {
      keep(query);
      return row;
    },
    later: keep,
    count: (name: string, by: number) => keep(countChange(name, by)),
    audit: () => {},
    emit: () => {},
    whenViolated: () => {},
  };
  await work(tx as unknown as TenantTx);
  return sent;
}

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Function Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** What a plan tells of the work that was done. */
export class Plan {
  readonly root: PlanNode;

  constructor(root: PlanNode) {
    this.root = root;
  }

  get nodes(): PlanNode[] {
    const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)];
    return all(this.root);
  }

  get isSeqScan(): boolean {
    return this.nodes.some((node) => /Seq Scan/.test(node['Node Type']));
  }

  get indexes(): string[] {
    return this.nodes.flatMap((node) => node['Index Name'] ?? []);
  }

  /** Rows that scans of tables and indexes came by, also those that a filter then threw away. */
  get rowsRead(): number {
    return this.nodes
      .filter((node) => node['Relation Name'] !== undefined || node['Node Type'] === 'Bitmap Index Scan')
      .reduce((sum, node) => sum + passedBy(node), 0);
  }

  get rowsSorted(): number {
    return this.nodes
      .filter((node) => /Sort/.test(node['Node Type']))
      .reduce((sum, node) => sum + (node.Plans ?? []).reduce((rows, child) => rows + passedOn(child), 0), 0);
  }

  /** Of the whole query, functions included. */
  get buffers(): number {
    return (this.root['Shared Hit Blocks'] ?? 0) + (this.root['Shared Read Blocks'] ?? 0);
  }

  /** What kind of plan it is, without numbers. */
  get outline(): string {
    const draw = (node: PlanNode, depth: number): string =>
      [
        `${' '.repeat(depth)}${node['Node Type']}${node['Index Name'] ? ` by ${node['Index Name']}` : ''}`,
        ...(node.Plans ?? []).map((child) => draw(child, depth + 1)),
      ].join('\n');
    return draw(this.root, 0);
  }

  toString(): string {
    return `${this.outline}\nread ${this.rowsRead}, sorted ${this.rowsSorted}, buffers ${this.buffers}`;
  }
}

const passedOn = (node: PlanNode): number => node['Actual Rows'] * node['Actual Loops'];
const passedBy = (node: PlanNode): number =>
  (node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops'];

const EXPLAIN = 'explain (analyze, buffers, timing off, format json)';

/** Connections as the application has them: its role, and the settings of a lane or of the pool. */
export class Explainer {
  readonly #clients: Readonly<Record<Sent['over'], pg.Client>>;

  constructor(url: string) {
    this.#clients = {
      lane: new pg.Client({ connectionString: url, options: LANE_OPTIONS }),
      pool: new pg.Client({ connectionString: url, options: POOL_OPTIONS }),
    };
  }

  async open(): Promise<void> {
    for (const client of Object.values(this.#clients)) {
      client.on('error', () => {}); // its database is dropped at the end, whoever is still connected
      await client.connect();
    }
  }

  async close(): Promise<void> {
    for (const client of Object.values(this.#clients)) await client.end().catch(() => {});
  }

  /** Planned for these values, as what has no name always is and what has one is at first. */
  explain(tenantId: string, { text, values, over }: Sent): Promise<Plan> {
    return this.#asTenant(tenantId, over, async (client) =>
      planOf(await client.query(`${EXPLAIN} ${text}`, [...values])),
    );
  }

  /** By the one plan for all values that a named statement ends up with. */
  async explainKept(tenantId: string, sent: Sent, name = 'kept'): Promise<Plan> {
    const client = this.#clients[sent.over];
    await client.query(`prepare ${name} as ${sent.text}`);
    await client.query('set plan_cache_mode = force_generic_plan');
    try {
      return await this.explainPrepared(tenantId, sent, name);
    } finally {
      await client.query('reset plan_cache_mode');
      await client.query(`deallocate ${name}`);
    }
  }

  async prepare({ text, over }: Sent, name: string): Promise<void> {
    await this.#clients[over].query(`prepare ${name} as ${text}`);
  }

  /** Of a statement that was prepared before, with whatever plan its connection holds for it. */
  explainPrepared(tenantId: string, { values, over }: Sent, name: string): Promise<Plan> {
    const literals = values
      .map(prepareValue)
      .map((value) => (value === null ? 'null' : pg.escapeLiteral(value)));
    const call = literals.length === 0 ? name : `${name} (${literals.join(', ')})`;
    return this.#asTenant(tenantId, over, async (client) =>
      planOf(await client.query(`${EXPLAIN} execute ${call}`)),
    );
  }

  async #asTenant<T>(
    tenantId: string,
    over: Sent['over'],
    work: (client: pg.Client) => Promise<T>,
  ): Promise<T> {
    const client = this.#clients[over];
    const setting = tenantSetting(tenantId);
    await client.query('begin');
    try {
      await client.query(setting.text, [...setting.values]);
      return await work(client);
    } finally {
      await client.query('rollback');
    }
  }
}

const planOf = ({ rows }: pg.QueryResult): Plan => new Plan(rows[0]['QUERY PLAN'][0].Plan);
