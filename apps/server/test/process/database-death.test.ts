import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  makeHome,
  postmasterOf,
  processesOf,
  readFirstRun,
  runToEnd,
  signIn,
  startServer,
  until,
} from './server-process.ts';

const askForToken = (
  origin: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
) =>
  fetch(`${origin}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });

test('a server whose own PostgreSQL dies answers 503 and brings it back', async (t) => {
  const home = await makeHome(t);
  const server = startServer(t, home, { env: { TENANTRY_DEMO: 'false', TENANTRY_LOG_LEVEL: 'debug' } });
  await server.ready();
  const first = await readFirstRun(home);
  assert.deepEqual(
    Object.keys(first),
    ['baseUrl', 'operator'],
    'TENANTRY_DEMO=false makes no demo workspace',
  );
  const operator = await signIn(home.origin, first.operator);
  const created = await operator.post('/api/settings/api-clients', { name: 'before' });
  assert.equal(created.status, 201);

  const dead = await postmasterOf(home);
  assert.ok(dead);
  process.kill(dead, 'SIGKILL');
  const statuses = new Set<number>();
  await until(async () => {
    const replies = await Promise.all([
      operator.get('/tenants'),
      operator.get('/api/settings/api-clients'),
      operator.post('/api/settings/api-clients', { name: 'during' }),
      askForToken(home.origin, first.operator),
    ]);
    for (const { status, headers } of replies) {
      statuses.add(status);
      if (status === 503) assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    await sleep(10);
    return statuses.has(503) && replies.every(({ status }) => status < 300);
  });
  assert.deepEqual([...statuses].sort(), [200, 201, 503]);
  assert.notEqual(await postmasterOf(home), dead);
  assert.equal((await operator.get(created.headers.get('location') ?? '')).status, 200);
  assert.match(server.stdout(), /the database ended unexpectedly and is started again/);
  assert.match(server.stdout(), /the database is back/);

  // The death of one session makes PostgreSQL end all the others, the one with our claim among them.
  const survivor = await postmasterOf(home);
  const session = await sessionOf(survivor as number);
  // Enough of them to lose some in the middle of their transactions.
  const writes = Array.from({ length: 20 }, () =>
    operator.post('/api/settings/api-clients', { name: 'during' }),
  );
  process.kill(session, 'SIGKILL');
  for (const { status } of await Promise.all(writes))
    assert.ok(status === 201 || status === 503, String(status));
  await until(() => server.stdout().split('the database is back').length === 3);
  assert.equal(await postmasterOf(home), survivor);
  await until(async () => (await operator.get('/tenants')).status === 200);

  const second = await runToEnd(t, home, { env: { TENANTRY_PORT: '0' } });
  assert.match(
    second.stderr,
    new RegExp(`process ${server.pid}\\)`),
    'the claim on the data directory is back, too',
  );

  const secrets = Object.values(
    JSON.parse(await readFile(join(home.dataDir, 'secrets.json'), 'utf8')) as Record<string, string>,
  );
  for (const secret of secrets)
    assert.ok(!server.stdout().includes(secret), 'losing the database puts no password into the log');

  assert.equal(await server.stop(), 0);
  assert.deepEqual(await processesOf(home.dataDir), []);
  assert.equal(server.stderr(), '');
});

async function sessionOf(postmaster: number): Promise<number> {
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  for (const pid of children.trim().split(' ')) {
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (title.includes('tenantry_app')) return Number(pid);
  }
  throw new Error('PostgreSQL has no session of the server');
}
