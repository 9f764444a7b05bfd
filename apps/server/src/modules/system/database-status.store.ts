import type { Database } from '#platform/db/database.ts';

interface ServerRow {
  version: string;
  size: bigint;
  used: bigint;
  max: number;
  is_replica: boolean;
  replicas: bigint;
}

const server = {
  text: `select current_setting('server_version') as version, pg_database_size(current_database()) as size,
                (select count(*) from pg_stat_activity where datname = current_database()) as used,
                current_setting('max_connections')::int as max, pg_is_in_recovery() as is_replica,
                (select count(*) from pg_stat_replication) as replicas`,
  values: [],
};
const migrations = {
  text: 'select version, name, applied_at from schema_migration order by version',
  values: [],
};

/** What PostgreSQL tells any role about itself; asked on the pool, since the size of a large database takes a while. */
export async function databaseStatus(db: Database) {
  const [status, applied] = await Promise.all([
    db.pool.query<ServerRow>(server),
    db.pool.query<AppliedRow>(migrations),
  ]);
  const row = status.rows[0] as ServerRow;
  const { totalCount, idleCount, waitingCount } = db.pool;
  return {
    version: row.version,
    sizeBytes: Number(row.size),
    connections: { used: Number(row.used), max: row.max },
    pool: { total: totalCount, idle: idleCount, waiting: waitingCount },
    replication: { isReplica: row.is_replica, replicas: Number(row.replicas) },
    migrations: applied.rows.map(({ version, name, applied_at }) => ({
      version,
      name,
      appliedAt: applied_at.toISOString(),
    })),
  };
}

interface AppliedRow {
  version: number;
  name: string;
  applied_at: Date;
}
