import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { fetchToken, TestClient } from '#test/client.ts';
import { makeOwnDatabase } from './own-database.ts';
import { makeHome, readFirstRun, signalIfThere, startServer, until } from './server-process.ts';

test('several processes of a node are one server', async (t) => {
  const home = await makeHome(t);
  const { appUrl, ownerUrl } = await makeOwnDatabase(t);
  const server = startServer(t, home, {
    env: {
      DATABASE_URL: appUrl,
      TENANTRY_OWNER_DATABASE_URL: ownerUrl,
      TENANTRY_WORKERS: '2',
      TENANTRY_RATE_LIMIT_STANDARD: '50',
    },
  });
  await server.ready();
  const { operator, demo } = await readFirstRun(home);
  assert.ok(demo);

  await t.test('both answer as soon as the banner is shown', async () => {
    assert.equal((await childrenOf(server.pid)).length, 2);
    const answers = await manyConnections(home.port, '/api/health/ping', 40);
    assert.deepEqual(answers, new Array(40).fill(200));
  });

  await t.test('they share one allowance: 50 and a burst of 20 % pass, and no more', async () => {
    const token = await fetchToken(home.origin, demo.clientId, demo.clientSecret);
    const answers = await manyConnections(home.port, `/tenants/${demo.tenantId}`, 90, token);
    assert.equal(answers.filter((status) => status === 200).length, 60);
    assert.equal(answers.filter((status) => status === 429).length, 30);
  });

  const operatorToken = await fetchToken(home.origin, operator.clientId, operator.clientSecret);
  const client = new TestClient(home.origin, operatorToken);

  await t.test('a revocation made in one holds in both', async () => {
    const { body } = await client.post('/api/settings/api-clients', { name: 'short-lived' });
    const token = await fetchToken(home.origin, body.clientId, body.clientSecret);
    assert.deepEqual(new Set(await manyConnections(home.port, '/tenants', 10, token)), new Set([200]));
    assert.equal((await client.delete(`/api/settings/api-clients/${body.id}`)).status, 204);
    await until(async () =>
      (await manyConnections(home.port, '/tenants', 10, token)).every((status) => status === 401),
    );
  });

  await t.test('one that is killed is replaced', async () => {
    const [victim, survivor] = await childrenOf(server.pid);
    assert.ok(victim && survivor);
    signalIfThere(victim, 'SIGKILL');
    await until(async () => {
      const now = await childrenOf(server.pid);
      return now.length === 2 && !now.includes(victim);
    });
    assert.ok((await childrenOf(server.pid)).includes(survivor));
    await until(async () =>
      (await manyConnections(home.port, '/tenants', 10, operatorToken)).every((status) => status === 200),
    );
  });

  await t.test('SIGTERM, sent to the whole group, ends all of them in order', async () => {
    const children = await childrenOf(server.pid);
    process.kill(-server.pid, 'SIGTERM');
    assert.equal(await server.ended, 0);
    for (const pid of children) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    assert.equal(server.stderr(), '');
  });
});

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

/** Each request on a connection of its own, so that they come to all processes. */
function manyConnections(port: number, path: string, count: number, token?: string): Promise<number[]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const one = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const agent = new Agent({ keepAlive: false });
      const sent = request({ host: '127.0.0.1', port, path, headers, agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject).end();
    });
  return Promise.all(Array.from({ length: count }, one));
}
