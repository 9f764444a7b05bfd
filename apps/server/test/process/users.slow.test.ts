import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeScratch, needsRoot } from '#platform/postgres/cluster.fixture.ts';
import { nobody, nobodyCanRun } from './nobody.ts';
import { type Home, makeHome, processesOf, readFirstRun, signIn, startServer } from './server-process.ts';

test('an ordinary user runs it', { skip: await nobodyCanRun() }, async (t) => {
  const home = await makeHome(t);
  await chmod(home.folder, 0o777);
  const user = await nobody();
  await startsTwice(t, home, user);
  assert.equal((await stat(join(home.dataDir, 'first-run.json'))).uid, user.uid);
});

test('root runs it in a folder that nobody else may enter', { skip: needsRoot }, async (t) => {
  const folder = join(await makeScratch(t), 'private');
  await mkdir(folder, { mode: 0o700 });
  const home = await makeHome(t, folder);
  await startsTwice(t, home);
  assert.match(await readFile(join(home.dataDir, 'cluster'), 'utf8'), /^\/var\/lib\/tenantry\/[0-9a-f]+\n$/);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});

async function startsTwice(t: TestContext, home: Home, user = {}): Promise<void> {
  for (const time of ['first', 'second']) {
    const server = startServer(t, home, user);
    await server.ready();
    const { operator } = await readFirstRun(home);
    assert.equal(
      (await (await signIn(home.origin, operator)).get('/tenants')).status,
      200,
      `at the ${time} start`,
    );
    assert.equal(await server.stop(), 0);
    assert.deepEqual(await processesOf(home.dataDir), []);
    assert.equal(server.stderr(), '');
  }
}
