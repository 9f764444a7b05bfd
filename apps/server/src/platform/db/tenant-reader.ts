import { isUuid } from '#kernel/ids.ts';
import type { ResultSet, Statement } from './group-query.ts';
import { type AnyQuery, preparedSql, ready } from './query.ts';

/** Kept in this file, so that nobody else can make such an object. */
const madeHere = Symbol('made by platform/db');

/** Single statements as one tenant. Only the Database can make one, from a principal. */
export interface TenantReader {
  readonly [madeHere]: true;
  readonly tenantId: string;
  /** A short indexed read, pipelined over the lanes. */
  rows<Row>(query: AnyQuery<Row>): Promise<Row[]>;
  first<Row>(query: AnyQuery<Row>): Promise<Row | undefined>;
  /** A search, a count, a report: what may take its time runs on a pooled connection and holds up nobody. */
  slowRows<Row>(query: AnyQuery<Row>): Promise<Row[]>;
}

type Run = (statements: readonly Statement[]) => Promise<ResultSet[]>;

const setTenant = preparedSql(`select set_config('app.tenant_id', $1, true)`);

/** The statement that every group of a tenant begins with. Local to the group, so that nothing stays set after it. */
export function tenantSetting(tenantId: string): Statement {
  if (!isUuid(tenantId)) throw new Error(`not a tenant id: ${tenantId}`);
  return setTenant(tenantId);
}

export function tenantReader(tenantId: string, lanes: Run, pooled: Run): TenantReader {
  const setting = tenantSetting(tenantId);
  const read = async <Row>(run: Run, query: AnyQuery<Row>): Promise<Row[]> =>
    (await run([setting, ready(query)]))[1]?.rows as Row[];
  return {
    [madeHere]: true,
    tenantId,
    rows: (query) => read(lanes, query),
    first: async (query) => (await read(lanes, query))[0],
    slowRows: (query) => read(pooled, query),
  };
}
