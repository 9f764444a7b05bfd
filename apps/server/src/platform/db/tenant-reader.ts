import type { Readable } from 'node:stream';
import { isUuid } from '#kernel/ids.ts';
import type { CopyForm } from './copy-out.ts';
import type { ResultSet, Statement } from './group-query.ts';
import { type AnyQuery, type Batch, batchOver, preparedSql, ready } from './query.ts';

/** Kept in this file, so that nobody else can make such an object. */
const madeHere = Symbol('made by platform/db');

/** Single statements as one tenant. Only the Database can make one, from a principal. */
export interface TenantReader {
  readonly [madeHere]: true;
  readonly tenantId: string;
  /** A short indexed read, pipelined over the lanes. */
  rows<Row>(query: AnyQuery<Row>): Promise<Row[]>;
  first<Row>(query: AnyQuery<Row>): Promise<Row | undefined>;
  /** Several such reads in one round trip; the rows of each. */
  batch: Batch;
  /** A search, a count, a report: what may take its time runs on a connection of a pool for that, and holds up nobody. */
  slowBatch: Batch;
  /** The whole result of a query as text, however large it is. */
  copyOut(query: AnyQuery<unknown>, form: CopyForm): Promise<Readable>;
}

type Run = (statements: readonly Statement[]) => Promise<ResultSet[]>;

const setTenant = preparedSql(`select set_config('app.tenant_id', $1, true)`);

/** The statement that every group of a tenant begins with. Local to the group, so that nothing stays set after it. */
export function tenantSetting(tenantId: string): Statement {
  if (!isUuid(tenantId)) throw new Error(`not a tenant id: ${tenantId}`);
  return setTenant(tenantId);
}

interface Ways {
  readonly lanes: Run;
  readonly pooled: Run;
  readonly copyOut: (opening: Statement, query: Statement, form: CopyForm) => Promise<Readable>;
}

export function tenantReader(tenantId: string, { lanes, pooled, copyOut }: Ways): TenantReader {
  const setting = tenantSetting(tenantId);
  const read = async <Row>(query: AnyQuery<Row>): Promise<Row[]> =>
    (await lanes([setting, ready(query)]))[1]?.rows as Row[];
  const asTenant =
    (run: Run): Run =>
    async (statements) =>
      (await run([setting, ...statements])).slice(1);
  return {
    [madeHere]: true,
    tenantId,
    rows: read,
    first: async (query) => (await read(query))[0],
    batch: batchOver(asTenant(lanes)),
    slowBatch: batchOver(asTenant(pooled)),
    copyOut: (query, form) => copyOut(setting, ready(query), form),
  };
}
