import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  atEnd,
  makeFolder,
  makeScratch,
  openForTest,
  query,
  removeFolder,
  startServer,
  superuserPassword,
} from './cluster.fixture.ts';
import { isAlive } from './postmaster.ts';

describe('a first start', () => {
  it('makes one cluster for all who open at once, and the last to leave stops it', async (test) => {
    const dataDir = await makeScratch(test);
    const server = startServer(test, dataDir);
    const lines: string[] = [];
    const [here, there] = await Promise.all([
      openForTest(test, dataDir, { log: (line) => lines.push(line) }),
      server.opened,
    ]);
    assert.equal(here.pid, there.pid);
    assert.deepEqual([here.adopted, there.adopted].sort(), [false, true]);
    await here.stop();
    assert.match(lines.join('\n'), /left running, because another server uses it/);
    assert.equal(await isAlive(here.pid), true);
    server.process.kill('SIGTERM');
    await once(server.process, 'exit');
    assert.equal(await isAlive(here.pid), false);
  });

  it('that is killed at any moment leaves a whole cluster or none', async (test) => {
    const dataDir = await makeScratch(test);
    for (const delayMs of [250, 400, 550]) {
      const server = startServer(test, dataDir);
      await sleep(delayMs);
      await server.kill();
    }
    const cluster = await openForTest(test, dataDir);
    assert.deepEqual(await query(cluster, 'select count(*)::int > 0 from pg_class'), [[true]]);
    assert.deepEqual((await readdir(dataDir)).sort(), ['pg', 'postgres.log']);
  });
});

describe('a cluster', () => {
  let folder: string;
  let dataDir: string;
  before(async () => {
    folder = await makeFolder();
    dataDir = join(folder, 'data');
  });
  after(() => removeFolder(folder));

  it('is made, listens to no port, and keeps its data for the second start', async (test) => {
    const first = await openForTest(test, dataDir);
    assert.equal(first.adopted, false);
    assert.equal(first.host, join(dataDir, 'pg'));
    assert.deepEqual(
      await query(
        first,
        `select current_setting('listen_addresses'), current_setting('fsync'), current_setting('synchronous_commit'),
                current_setting('server_encoding'), current_setting('data_checksums'), lower('É')`,
      ),
      [['', 'on', 'on', 'UTF8', 'on', 'é']],
    );
    await query(first, `create table note as select 'kept' as text`);
    await first.stop();
    assert.equal(await isAlive(first.pid), false);

    const second = await openForTest(test, dataDir);
    assert.deepEqual(await query(second, 'select text from note'), [['kept']]);
    assert.deepEqual((await readdir(dataDir)).sort(), ['pg', 'postgres.log']);
  });

  it('admits nobody without the password, and tells of another secrets.json', async (test) => {
    const cluster = await openForTest(test, dataDir);
    await assert.rejects(
      query({ ...cluster, url: () => cluster.url('postgres', 'wrong', 'postgres') }, 'select 1'),
      { code: '28P01' },
    );
    const rules = await query(cluster, 'select distinct auth_method from pg_hba_file_rules');
    assert.deepEqual(rules, [['scram-sha-256']]);
    await assert.rejects(
      openForTest(test, dataDir, { superuserPassword: `not ${superuserPassword}` }),
      /^StartError: The database in .* was made with another secrets\.json/,
    );
  });

  it('recovers what was committed when its postmaster is killed', async (test) => {
    const first = await openForTest(test, dataDir);
    await query(first, `create table recovered as select 'committed' as text`);
    process.kill(first.pid, 'SIGKILL');
    const second = await openForTest(test, dataDir);
    assert.equal(second.adopted, false);
    assert.notEqual(second.pid, first.pid);
    assert.deepEqual(await query(second, 'select text from recovered'), [['committed']]);
    await first.stop();
    assert.equal(
      await isAlive(second.pid),
      true,
      'the handle of the dead postmaster must not stop the new one',
    );
  });

  it('is adopted when its server was killed, and can be stopped then', async (test) => {
    const server = startServer(test, dataDir);
    const { pid } = await server.opened;
    await server.kill();
    const cluster = await openForTest(test, dataDir);
    assert.deepEqual([cluster.adopted, cluster.pid], [true, pid]);
    assert.deepEqual(await query(cluster, 'select 1'), [[1]]);
    await cluster.stop();
    await assert.rejects(stat(join(dataDir, 'pg/postmaster.pid')), { code: 'ENOENT' });
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    assert.match(log, /received fast shutdown request[\s\S]*database system is shut down\n$/);
  });

  it('starts though a living process has the id of its dead postmaster', async (test) => {
    const cluster = join(dataDir, 'pg');
    const { uid, gid } = await stat(cluster);
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore', uid, gid });
    atEnd(test, async () => stranger.kill());
    const file = join(cluster, 'postmaster.pid');
    await writeFile(file, `${stranger.pid}\n${cluster}\n1700000000\n5432\n${cluster}\n\n 0 0\nready\n`);
    await chown(file, uid, gid);
    assert.equal((await openForTest(test, dataDir)).adopted, false);
    assert.equal(stranger.exitCode, null);
  });

  it('that does not start says why in one line, and its log does not grow for ever', async (test) => {
    const log = join(dataDir, 'postgres.log');
    await writeFile(log, 'x'.repeat(11 * 1024 * 1024));
    await assert.rejects(
      openForTest(test, dataDir, { settings: { shared_buffers: 'plenty' } }),
      /^StartError: PostgreSQL did not start\. The last lines of .*postgres\.log: .*shared_buffers.*$/,
    );
    assert.ok((await stat(log)).size < 10_000);
    await writeFile(join(dataDir, 'pg/PG_VERSION'), '14\n');
    await assert.rejects(
      openForTest(test, dataDir),
      /^StartError: .* made by PostgreSQL 14 and this is PostgreSQL 18/,
    );
  });
});
