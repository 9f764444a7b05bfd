import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, chmod, chown, mkdir, readFile, realpath, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { atEnd, makeScratch, needsRoot, openForTest, query, startServer } from './cluster.fixture.ts';
import type { Cluster } from './cluster.ts';
import { placeCluster } from './place.ts';
import { isAlive } from './postmaster.ts';

const nobody = { uid: 65534, gid: 65534 };

describe('the place of a cluster', () => {
  it('may be too deep for a socket, which then lies in a short private directory', async (test) => {
    const scratch = await makeScratch(test);
    const usual = process.env.TMPDIR;
    process.env.TMPDIR = scratch;
    atEnd(test, async () => {
      delete process.env.TMPDIR;
      if (usual !== undefined) process.env.TMPDIR = usual;
    });
    const dataDir = join(scratch, 'deep'.repeat(25), 'data');
    const cluster = await openForTest(test, dataDir);
    assert.match(cluster.host.slice(scratch.length), /^\/tenantry-[0-9a-f]{16}$/);
    const owner = await stat(join(dataDir, 'pg'));
    const socket = await stat(cluster.host);
    assert.deepEqual([socket.mode & 0o777, socket.uid], [0o700, owner.uid]);
    assert.deepEqual(await query(cluster, 'select 1'), [[1]]);

    const again = await openForTest(test, dataDir);
    assert.deepEqual([again.adopted, again.host], [true, cluster.host]);
    await Promise.all([again.stop(), cluster.stop()]);
    assert.equal(await isAlive(cluster.pid), false);
    await chmod(cluster.host, 0o777);
    await assert.rejects(openForTest(test, dataDir), /^StartError: .* belongs to somebody else: remove it/);
  });

  it('is private, whatever its path', async (test) => {
    const scratch = await realpath(await makeScratch(test));
    await mkdir(join(scratch, 'a, "b" c'));
    await symlink('a, "b" c', join(scratch, 'link'));
    const cluster = await openForTest(test, join(scratch, 'link'));
    assert.equal(cluster.host, join(scratch, 'a, "b" c', 'pg'));
    assert.deepEqual(await query(cluster, 'select 1'), [[1]]);
    assert.equal((await stat(cluster.host)).mode & 0o777, 0o700);
    assert.equal((await stat(join(scratch, 'link', 'postgres.log'))).mode & 0o777, 0o600);
  });

  it('is /var/lib/tenantry where a folder above bars the way', { skip: needsRoot }, async (test) => {
    const scratch = await makeScratch(test);
    await chmod(scratch, 0o700);
    const dataDir = join(scratch, 'data');
    const cluster = await openBarred(test, dataDir);
    assert.match(cluster.host, /^\/var\/lib\/tenantry\/[0-9a-f]{16}$/);
    assert.equal(await readFile(join(dataDir, 'cluster'), 'utf8'), `${cluster.host}\n`);
    await assert.rejects(access(join(dataDir, 'pg')));
    await query(cluster, `create table note as select 'kept' as text`);
    await cluster.stop();

    await rm(join(dataDir, 'cluster'));
    const killedBeforeNaming = await openBarred(test, dataDir);
    assert.deepEqual(await query(killedBeforeNaming, 'select text from note'), [['kept']]);
    assert.equal(await readFile(join(dataDir, 'cluster'), 'utf8'), `${cluster.host}\n`);
    await killedBeforeNaming.stop();

    await rm(cluster.host, { recursive: true });
    await assert.rejects(
      openBarred(test, dataDir),
      /^StartError: The database of .* is not there: restore it/,
    );
  });

  it('is another for a new data directory of the same path', { skip: needsRoot }, async (test) => {
    const scratch = await makeScratch(test);
    await chmod(scratch, 0o700);
    const [old, fresh] = await Promise.all(
      ['old', 'fresh'].map((key) => placeCluster(join(scratch, 'data'), key)),
    );
    assert.notEqual(old?.directory, fresh?.directory);
  });
});

describe('the user PostgreSQL runs as', () => {
  it('is we ourselves when we are not root, and stays the owner when root comes', {
    skip: needsRoot,
  }, async (test) => {
    const dataDir = await makeScratch(test);
    await chown(dataDir, nobody.uid, nobody.gid);
    const server = startServer(test, dataDir, nobody);
    const { pid } = await server.opened;
    assert.equal((await stat(`/proc/${pid}`)).uid, nobody.uid);
    server.process.kill('SIGTERM');
    await once(server.process, 'exit');
    assert.equal(await isAlive(pid), false);

    const asRoot = await openForTest(test, dataDir);
    assert.equal((await stat(asRoot.host)).uid, nobody.uid);
    assert.equal((await stat(`/proc/${asRoot.pid}`)).uid, nobody.uid);
    await asRoot.stop();

    // As after root copied it back from a backup.
    await chown(asRoot.host, 0, 0);
    const restored = await openForTest(test, dataDir);
    assert.notEqual((await stat(restored.host)).uid, 0);
    assert.equal((await stat(dataDir)).mode & 0o777, 0o711);
    assert.match(await readFile(`/proc/${restored.pid}/status`, 'utf8'), /^Groups:\s*$/m);
    const environment = (await readFile(`/proc/${restored.pid}/environ`, 'utf8')).split('\0');
    assert.deepEqual(environment.map((entry) => entry.split('=')[0]).sort(), ['', 'HOME', 'LC_ALL', 'PATH']);
  });
});

async function openBarred(test: TestContext, dataDir: string): Promise<Cluster> {
  const cluster = await openForTest(test, dataDir);
  atEnd(test, async () => {
    await cluster.stop();
    await rm(cluster.host, { recursive: true, force: true });
  });
  return cluster;
}
