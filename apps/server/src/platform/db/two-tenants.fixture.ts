import type pg from 'pg';
import { openTestApi, type TestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

export interface TwoTenants {
  readonly api: TestApi;
  readonly a: string;
  readonly b: string;
  /** As superuser, in the database of the test. */
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  /** Ends the backends of that application name and tells how many there were. */
  kill(applicationName: string): Promise<number>;
  /** How many rows of this number are committed. */
  things(n: number): Promise<number>;
  /** How often something was sent to the database, on the one connection that is free. */
  writesOf(work: () => Promise<unknown>): Promise<number>;
}

/** Two tenants and a table of theirs with rows of every awkward kind: long ones, NULLs, many and none. */
export async function openTwoTenants(lanes = 1): Promise<TwoTenants> {
  const api = await openTestApi({ lanes, poolSize: 4 });
  const [a, b] = [await api.newTenant(), await api.newTenant()];
  const sql: TwoTenants['sql'] = (text, values) =>
    asSuperuser(api.cluster, (client) => client.query(text, values), api.databaseName);
  await sql(`create table thing (
    tenant_id uuid not null default current_setting('app.tenant_id')::uuid, n integer not null, note text,
    primary key (tenant_id, n) deferrable initially deferred)`);
  await sql(`alter table thing owner to tenantry_owner`);
  await sql(`select secure_tenant_table('thing')`);
  for (const tenant of [a.id, b.id]) {
    await sql(
      `insert into thing
       select t, n, case n % 3 when 0 then null when 1 then t || repeat('x', 20000) else t::text end
         from (select $1::uuid as t) own, generate_series(1, 30) n`,
      [tenant],
    );
  }
  return {
    api,
    a: a.id,
    b: b.id,
    sql,
    kill: async (applicationName) =>
      (
        await sql(
          'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
          [applicationName],
        )
      ).rows.length,
    things: async (n) => (await sql('select from thing where n = $1', [n])).rows.length,
    writesOf: (work) => countWrites(api.platform.db.pool, work),
  };
}

async function countWrites(pool: pg.Pool, work: () => Promise<unknown>): Promise<number> {
  const client = await pool.connect();
  const { stream } = (
    client as unknown as { connection: { stream: { writableCorked: number; uncork(): void } } }
  ).connection;
  const uncork = stream.uncork;
  let writes = 0;
  stream.uncork = function counting() {
    writes++;
    return uncork.call(stream);
  };
  client.release();
  await work();
  stream.uncork = uncork;
  return writes;
}

export interface Thing {
  tenant_id: string;
  n: number;
  note: string | null;
}

export const insert = (n: number) => ({
  text: `insert into thing (n, note) values ($1, 'new')`,
  values: [n],
});

export const entry = { action: 'thing.created', resourceType: 'thing', resourceId: null } as const;

/** A question that changes nothing. */
export const pid = { text: 'select pg_backend_pid() as pid', values: [] };

export const ACTOR = { kind: 'system', id: 'test', name: 'Test', ipAddress: null, traceId: null } as const;
