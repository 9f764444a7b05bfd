import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { startFakePostgres } from './fake-postgres.ts';
import { nobody, nobodyCanRun } from './nobody.ts';
import { makeOwnDatabase, type OwnDatabase } from './own-database.ts';
import { freePort, type Home, makeHome, readFirstRun, runToEnd, startServer } from './server-process.ts';

type Run = Parameters<typeof runToEnd>[2];

/** One clear line on stderr, no stack, nothing on stdout that looks like success, and an exit code that tells. */
async function refuses(t: TestContext, home: Home, options: Run, expected: RegExp): Promise<void> {
  const { code, stderr, stdout } = await runToEnd(t, home, options);
  assert.match(stderr, expected);
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  assert.doesNotMatch(stderr, / at .*:\d+:\d+/);
  assert.equal(stdout, '');
  assert.equal(code, 1);
}

const parallel = { concurrency: 3 };

test('an address that cannot be listened on is refused in one line', parallel, async (t) => {
  await Promise.all([
    t.test('a port in use', async (t) => {
      const home = await makeHome(t);
      const occupant = createServer().listen(home.port, '127.0.0.1');
      await once(occupant, 'listening');
      t.after(() => occupant.close());
      await refuses(
        t,
        home,
        {},
        new RegExp(`^Port ${home.port} of 127\\.0\\.0\\.1 is in use\\. .*TENANTRY_PORT`),
      );
    }),
    t.test('a host of another machine', async (t) => {
      await refuses(
        t,
        await makeHome(t),
        { env: { TENANTRY_HOST: '192.0.2.1' } },
        /^192\.0\.2\.1 is not an address of this machine\..*TENANTRY_HOST/,
      );
    }),
    t.test('settings that are misspelt or wrong, all at once', async (t) => {
      const env = { TENANTRY_PROT: '1', TENANTRY_WORKERS: 'many', TENANTRY_PORT: '70000' };
      const { code, stderr } = await runToEnd(t, await makeHome(t), { env });
      assert.equal(code, 1);
      const lines = stderr.trimEnd().split('\n');
      assert.equal(lines.length, 4, stderr);
      assert.match(stderr, /TENANTRY_PROT is no setting of Tenantry\. Did you mean TENANTRY_PORT\?/);
      for (const line of lines.slice(1)) assert.match(line, /^- TENANTRY_/);
    }),
    t.test('a log file that cannot be written', async (t) => {
      const home = await makeHome(t);
      await refuses(
        t,
        home,
        { env: { TENANTRY_LOG_FILE: '/dev/null/tenantry.log' } },
        /^Tenantry cannot write to \/dev\/null\/tenantry\.log/,
      );
    }),
  ]);
});

test('a user without rights is told so in one line', {
  ...parallel,
  skip: await nobodyCanRun(),
}, async (t) => {
  await Promise.all([
    t.test('a privileged port', async (t) => {
      const home = { ...(await makeHome(t)), port: 81 };
      await chmod(home.folder, 0o777);
      const unprivileged = await firstUnprivilegedPort();
      if (unprivileged <= 81) return t.skip('this machine lets everyone use low ports');
      await refuses(t, home, await nobody(), /^Port 81 may not be used by this user\. .*TENANTRY_PORT/);
    }),
    t.test('a data directory that may not be written', async (t) => {
      const home = await makeHome(t);
      await mkdir(home.dataDir, { mode: 0o755 });
      await refuses(
        t,
        home,
        await nobody(),
        new RegExp(`^Tenantry cannot write to ${home.dataDir}, its data directory: permission denied\\.`),
      );
    }),
    t.test('a data directory that may not be made', async (t) => {
      const home = await makeHome(t);
      await refuses(t, home, await nobody(), /^Tenantry cannot write to .*permission denied/);
    }),
  ]);
});

test('a database that cannot be served from is refused in one line', parallel, async (t) => {
  const database = await makeOwnDatabase(t);
  const { appUrl, superuserUrl } = database;
  const withUrl = async (t: TestContext, DATABASE_URL: string, expected: RegExp, more = {}): Promise<void> =>
    refuses(t, await makeHome(t), { env: { DATABASE_URL, ...more } }, expected);

  await Promise.all([
    t.test('unreachable', async (t) => {
      const port = await freePort();
      await withUrl(
        t,
        `postgresql://tenantry_app:x@127.0.0.1:${port}/tenantry`,
        /^The database of DATABASE_URL cannot be reached: .*ECONNREFUSED/,
      );
    }),
    t.test('wrong password', (t) =>
      withUrl(
        t,
        appUrl.replace(':test@', ':wrong@'),
        /^The database of DATABASE_URL cannot be reached: password authentication failed for user "tenantry_app"/,
      ),
    ),
    t.test('no such database', (t) =>
      withUrl(
        t,
        appUrl.replace(database.name, 'not_there'),
        /^The database of DATABASE_URL cannot be reached: database "not_there" does not exist/,
      ),
    ),
    t.test('without a schema and without its owner', (t) =>
      withUrl(t, appUrl, /^The database lacks \d+ of \d+ migrations\. .*TENANTRY_OWNER_DATABASE_URL/),
    ),
    t.test('an owner who owns nothing there', (t) =>
      withUrl(
        t,
        appUrl,
        /^The schema cannot be brought up to date by TENANTRY_OWNER_DATABASE_URL: permission denied/,
        { TENANTRY_OWNER_DATABASE_URL: appUrl },
      ),
    ),
    t.test('too old', async (t) =>
      withUrl(
        t,
        await startFakePostgres(t, '140012'),
        /^The database of DATABASE_URL is PostgreSQL 14; Tenantry needs 15 or later\./,
      ),
    ),
  ]);

  await setUp(t, database);
  await Promise.all([
    t.test('as superuser', (t) =>
      withUrl(t, superuserUrl, /^DATABASE_URL connects as postgres, which may not serve/),
    ),
    t.test('as the owner', (t) =>
      withUrl(t, database.ownerUrl, /^DATABASE_URL connects as tenantry_owner, which may not serve/),
    ),
    t.test('with another instance key than it was set up with', (t) =>
      withUrl(
        t,
        appUrl,
        /^The instance key is not the one that this database was set up with\. .*TENANTRY_SECRET_KEY/,
        {
          TENANTRY_SECRET_KEY: randomBytes(32).toString('hex'),
        },
      ),
    ),
  ]);

  await asOwner(
    database,
    "insert into schema_migration (version, name, checksum) values (9999, 'from-the-future', '')",
  );
  await Promise.all([
    t.test('a schema newer than the program', (t) =>
      withUrl(t, appUrl, /^The database schema is at 9999, newer than this program/),
    ),
    t.test('a schema newer than the program, with its owner', (t) =>
      withUrl(t, appUrl, /^The database schema is at 9999, newer than this program/, {
        TENANTRY_OWNER_DATABASE_URL: database.ownerUrl,
      }),
    ),
  ]);
});

async function setUp(t: TestContext, { appUrl, ownerUrl }: OwnDatabase): Promise<void> {
  const home = await makeHome(t);
  const server = startServer(t, home, {
    env: { DATABASE_URL: appUrl, TENANTRY_OWNER_DATABASE_URL: ownerUrl, TENANTRY_DEMO: 'false' },
  });
  await server.ready();
  assert.ok((await readFirstRun(home)).operator.clientSecret);
  assert.equal(await server.stop(), 0);
}

async function asOwner({ ownerUrl }: OwnDatabase, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function firstUnprivilegedPort(): Promise<number> {
  return Number(await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024'));
}
