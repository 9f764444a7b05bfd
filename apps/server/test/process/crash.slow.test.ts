import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '#test/client.ts';
import {
  makeHome,
  postmasterOf,
  processesOf,
  readFirstRun,
  signIn,
  startServer,
  until,
} from './server-process.ts';

const highLimits = { TENANTRY_RATE_LIMIT_STANDARD: '100000', TENANTRY_RATE_LIMIT_TOKEN: '100000' };

// Random moments, spread so that a run meets the making of the cluster, its start, the migrations and the first run.
for (const atMs of [100, 500, 900, 1300, 1700, 2100, 2500, 3000].map((ms) =>
  Math.round(ms + Math.random() * 400),
)) {
  test(`a first start killed after ${atMs} ms is made good by the next`, async (t) => {
    const home = await makeHome(t);
    const victim = startServer(t, home);
    await sleep(atMs);
    await victim.kill();
    const server = startServer(t, home);
    await server.ready();
    const { operator, demo } = await readFirstRun(home);
    assert.ok(demo);
    for (const credentials of [operator, demo, demo.testing]) {
      assert.equal((await (await signIn(home.origin, credentials)).get('/tenants')).status, 200);
    }
    assert.equal(await server.stop(), 0);
    assert.equal(server.stderr(), '');
    await until(
      async () => (await processesOf(home.dataDir)).length === 0,
      'the end of an initdb that was left alone',
    );
  });
}

for (const atMs of [300, 1200, 2000]) {
  test(`SIGTERM after ${atMs} ms of a first start leaves nothing running, and the next start comes up`, async (t) => {
    const home = await makeHome(t);
    const first = startServer(t, home);
    await sleep(atMs);
    // Before the program has begun, the signal simply ends it.
    assert.ok([0, 'SIGTERM'].includes(await first.stop()));
    assert.equal(first.stderr(), '');
    assert.deepEqual(await processesOf(home.dataDir), []);
    const server = startServer(t, home);
    await server.ready();
    assert.equal(
      (await (await signIn(home.origin, (await readFirstRun(home)).operator)).get('/tenants')).status,
      200,
    );
    assert.equal(await server.stop(), 0);
  });
}

test('what was acknowledged before kill -9 is there after it, and PostgreSQL is adopted', async (t) => {
  const home = await makeHome(t);
  const victim = startServer(t, home, { env: highLimits });
  await victim.ready();
  const { demo } = await readFirstRun(home);
  assert.ok(demo);
  const acknowledged: { clientId: string; clientSecret: string }[] = [];
  const client = await signIn(home.origin, demo);
  const writers = Array.from({ length: 8 }, () => writeUntilDead(client, acknowledged));
  await until(() => acknowledged.length > 100);
  await victim.kill();
  await Promise.all(writers);
  const leftBehind = await postmasterOf(home);
  // As if the first start had been killed right after its commit, before the file had its name.
  const path = join(home.dataDir, 'first-run.json');
  await rename(path, `${path}.pending`);

  const server = startServer(t, home, { env: highLimits });
  await server.ready();
  assert.equal(await postmasterOf(home), leftBehind);
  assert.deepEqual((await readFirstRun(home)).demo, demo);
  for (const credentials of acknowledged) {
    assert.equal((await (await signIn(home.origin, credentials)).get('/tenants')).status, 200);
  }
  assert.equal(await server.stop(), 0);
  assert.deepEqual(await processesOf(home.dataDir), []);
});

test('of two first starts at once on an empty directory exactly one serves', async (t) => {
  const home = await makeHome(t);
  const both = [startServer(t, home), startServer(t, home, { env: { TENANTRY_PORT: '0' } })];
  const outcomes = await Promise.all(
    both.map((server) =>
      server.ready().then(
        () => 'serves',
        () => 'refused',
      ),
    ),
  );
  assert.deepEqual(outcomes.toSorted(), ['refused', 'serves']);
  const [winner, loser] = outcomes[0] === 'serves' ? both : both.toReversed();
  assert.ok(winner && loser);
  assert.equal(await loser.ended, 1);
  assert.match(
    loser.stderr(),
    new RegExp(`^Another Tenantry \\(process ${winner.pid}\\) is running on [^\n]*\n$`),
  );
  const { baseUrl, operator } = await readFirstRun(home);
  assert.equal((await (await signIn(baseUrl, operator)).get('/tenants')).status, 200);
  assert.equal(await winner.stop(), 0);
  assert.deepEqual(await processesOf(home.dataDir), []);
});

async function writeUntilDead(
  client: TestClient,
  acknowledged: { clientId: string; clientSecret: string }[],
): Promise<void> {
  for (;;) {
    try {
      const { status, body } = await client.post('/api/settings/api-clients', { name: 'written' });
      assert.equal(status, 201);
      acknowledged.push(body);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}
