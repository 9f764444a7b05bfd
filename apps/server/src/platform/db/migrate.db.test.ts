import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { StartError } from '#platform/start-error.ts';
import { cloneDatabase, testCluster } from '#test/harness.ts';
import { asSuperuser, databaseUrl } from '#test/template.ts';
import { checkApplicationRole, checkSchema, knownMigrations, migrate } from './migrate.ts';

const cluster = testCluster();
const versions = (await knownMigrations()).map(({ version }) => version);

async function emptyDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asSuperuser(cluster, (client) => client.query(`create database ${name} owner tenantry_owner`));
  after(() => asSuperuser(cluster, (client) => client.query(`drop database ${name} with (force)`)));
  return name;
}

const ownerUrl = (name: string): string => databaseUrl(cluster.ownerUrl, name);
const appUrl = (name: string): string => databaseUrl(cluster.appUrl, name);
const sql = (name: string, text: string) => asSuperuser(cluster, (client) => client.query(text), name);

/** `migrate` in a process of its own; prints what it has applied. */
async function migrateElsewhere(url: string): Promise<number[]> {
  const script = `const { migrate } = await import(process.argv[1]); console.log(JSON.stringify(await migrate(process.argv[2])));`;
  const module = new URL('./migrate.ts', import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    script,
    module,
    url,
  ]);
  return JSON.parse(stdout) as number[];
}

describe('migrate', () => {
  it('applies everything once, whichever of several processes comes first', async () => {
    const name = await emptyDatabase();
    const url = ownerUrl(name);
    const applied = await Promise.all([migrateElsewhere(url), migrateElsewhere(url), migrate(url)]);
    assert.deepEqual(applied.flat().sort(), versions);
    assert.deepEqual(await migrate(url), []);
    await checkSchema(appUrl(name));
  });

  it('rolls a failing migration back, names it, and works once the cause is gone', async () => {
    const name = await emptyDatabase();
    await sql(name, 'create table signing_key (in_the_way int)');
    await assert.rejects(
      migrate(ownerUrl(name)),
      (error) =>
        error instanceof StartError &&
        /^Migration 1 \(foundation\) failed: .*signing_key/.test(error.message),
    );
    const { rows } = await sql(
      name,
      `select tablename from pg_tables where schemaname = 'public' order by 1`,
    );
    assert.deepEqual(
      rows.map(({ tablename }) => tablename),
      ['schema_migration', 'signing_key'],
    );
    await sql(name, 'drop table signing_key');
    assert.deepEqual(await migrate(ownerUrl(name)), versions);
  });

  it('refuses a schema that is newer than the program, for the owner and for the application', async () => {
    const name = await cloneDatabase(cluster);
    await sql(
      name,
      `insert into schema_migration (version, name, checksum) values (9999, 'from-the-future', '')`,
    );
    for (const attempt of [() => migrate(ownerUrl(name)), () => checkSchema(appUrl(name))]) {
      await assert.rejects(
        attempt(),
        (error) => error instanceof StartError && /9999, newer than this program/.test(error.message),
      );
    }
  });

  it('tells a node without the owner what is missing', async () => {
    const name = await emptyDatabase();
    await assert.rejects(
      checkSchema(appUrl(name)),
      (error) => error instanceof StartError && /lacks \d+ of \d+ migrations/.test(error.message),
    );
  });

  it('tells that a database cannot be reached', async () => {
    const nowhere = 'postgres://nobody:x@127.0.0.1:1/nothing';
    for (const attempt of [migrate, checkSchema, checkApplicationRole]) {
      await assert.rejects(
        attempt(nowhere),
        (error) => error instanceof StartError && /cannot be reached/.test(error.message),
      );
    }
  });
});

describe('checkApplicationRole', () => {
  it('lets tenantry_app in, and neither a superuser nor the owner', async () => {
    const name = await cloneDatabase(cluster);
    await checkApplicationRole(appUrl(name));
    for (const url of [databaseUrl(cluster.superuserUrl, name), ownerUrl(name)]) {
      await assert.rejects(
        checkApplicationRole(url),
        (error) => error instanceof StartError && /may not serve/.test(error.message),
      );
    }
  });
});
