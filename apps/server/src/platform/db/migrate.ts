import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { StartError } from '#platform/start-error.ts';
import { advisoryLocks } from './advisory-locks.ts';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const MIGRATIONS = new URL('../../../db/migrations/', import.meta.url);
const OLDEST_SERVER = 150_000;

export async function knownMigrations(): Promise<Migration[]> {
  const files = (await readdir(MIGRATIONS)).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, MIGRATIONS), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { version: Number(file.slice(0, 4)), name: file.slice(5, -4), sql, checksum };
    }),
  );
}

/** Brings the schema up to date as its owner: each migration in a transaction, one node at a time. */
export async function migrate(ownerUrl: string): Promise<number[]> {
  const client = await connect(ownerUrl, 'TENANTRY_OWNER_DATABASE_URL');
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLocks.migration]);
    await client.query(`create table if not exists schema_migration (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
    )`);
    const migrations = await knownMigrations();
    const applied = await appliedVersions(client);
    refuseNewerSchema(migrations, applied);
    await refuseChangedHistory(client, migrations);
    const made: number[] = [];
    for (const migration of migrations.filter(({ version }) => !applied.includes(version))) {
      await apply(client, migration);
      made.push(migration.version);
    }
    await client.query('grant select on schema_migration to tenantry_app');
    return made;
  } catch (error) {
    if (error instanceof StartError) throw error;
    const reason = (error as Error).message; // such as a role that does not own the schema after all
    throw new StartError(
      `The schema cannot be brought up to date by TENANTRY_OWNER_DATABASE_URL: ${reason}`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

/** For a node without the owner's credentials: the schema must already be the one this program knows. */
export async function checkSchema(appUrl: string): Promise<void> {
  const client = await connect(appUrl, 'DATABASE_URL');
  try {
    const migrations = await knownMigrations();
    const applied = await appliedVersions(client).catch(() => []);
    refuseNewerSchema(migrations, applied);
    if (applied.length < migrations.length) {
      throw new StartError(
        `The database lacks ${migrations.length - applied.length} of ${migrations.length} migrations. ` +
          'Start once with TENANTRY_OWNER_DATABASE_URL set to the role that owns the schema.',
      );
    }
  } finally {
    await client.end();
  }
}

/** Row security means nothing to a role that is above it; such a role is refused before a request is served. */
export async function checkApplicationRole(appUrl: string): Promise<void> {
  const client = await connect(appUrl, 'DATABASE_URL');
  try {
    const { rows } = await client.query<{ name: string; above: boolean; inherits: boolean }>(
      `select rolname as name, rolsuper or rolbypassrls as above,
              pg_has_role(current_user, 'tenantry_across', 'usage') as inherits
         from pg_roles where rolname = current_user`,
    );
    const role = rows[0];
    if (role?.name !== 'tenantry_app' || role.above || role.inherits) {
      throw new StartError(
        `DATABASE_URL connects as ${role?.name}, which may not serve: it must be the role tenantry_app, ` +
          'neither superuser nor BYPASSRLS, and NOINHERIT. See "A database of your own" in the README.',
      );
    }
  } finally {
    await client.end();
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_migration (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {}); // a lost connection has rolled back by itself
    throw new StartError(
      `Migration ${migration.version} (${migration.name}) failed: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

async function appliedVersions(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ version: number }>(
    'select version from schema_migration order by version',
  );
  return rows.map((row) => row.version);
}

/** An applied migration is history: what it should have said otherwise is said by a new one. */
async function refuseChangedHistory(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ version: number; checksum: string }>(
    'select version, checksum from schema_migration',
  );
  const changed = migrations.find(({ version, checksum }) =>
    rows.some((row) => row.version === version && row.checksum !== checksum),
  );
  if (changed !== undefined) {
    throw new StartError(
      `Migration ${changed.version} (${changed.name}) is not the one that was applied to this database.`,
    );
  }
}

function refuseNewerSchema(migrations: readonly Migration[], applied: readonly number[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const beyond = applied.filter((version) => version > newest);
  if (beyond.length > 0) {
    throw new StartError(
      `The database schema is at ${beyond.at(-1)}, newer than this program, which knows ${newest}. Start a newer Tenantry.`,
    );
  }
}

async function connect(url: string, setting: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the query that is under way reports it
  try {
    await client.connect();
  } catch (error) {
    throw new StartError(`The database of ${setting} cannot be reached: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  const version = Number((await client.query('show server_version_num')).rows[0].server_version_num);
  if (version < OLDEST_SERVER) {
    await client.end();
    throw new StartError(
      `The database of ${setting} is PostgreSQL ${Math.floor(version / 10_000)}; Tenantry needs 15 or later.`,
    );
  }
  return client;
}

/** Node reports a name with several addresses as an AggregateError without a message of its own. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError ? String(error.errors[0]?.message) : (error as Error).message;
