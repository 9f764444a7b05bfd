import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { TestClient } from '#test/client.ts';
import { makeOwnDatabase } from './own-database.ts';
import { makeHome, readFirstRun, signIn, startServer, until } from './server-process.ts';

const newTenant = (n: number) => ({
  name: `Tenant ${n}`,
  subdomain: `tenant-${n}`,
  administrator: { email: `ada@tenant-${n}.example`, name: 'Ada' },
});

test('SIGTERM finishes what was accepted and loses nothing half way', async (t) => {
  const home = await makeHome(t);
  const { appUrl, ownerUrl } = await makeOwnDatabase(t);
  const env = {
    DATABASE_URL: appUrl,
    TENANTRY_OWNER_DATABASE_URL: ownerUrl,
    TENANTRY_DEMO: 'false',
    TENANTRY_SHUTDOWN_GRACE_SECONDS: '600', // long enough that a stop which only the grace period ends would be seen
  };
  const server = startServer(t, home, { env });
  await server.ready();
  const operator = await signIn(home.origin, (await readFirstRun(home)).operator);

  // Passwords are hashed slowly on purpose, so these are under way for a while.
  const asked = Array.from({ length: 12 }, (_, n) => outcomeOf(operator, n));
  await Promise.race(asked);
  server.child.kill('SIGTERM');
  await until(() => server.stdout().includes('"msg":"stopping"'));
  server.child.kill('SIGTERM');
  server.child.kill('SIGINT');
  const outcomes = await Promise.all(asked);

  assert.equal(await server.ended, 0);
  assert.equal(server.stderr(), '');
  await assert.rejects(fetch(`${home.origin}/api/health/ping`));
  for (const outcome of outcomes)
    assert.ok([201, 503, 'closed'].includes(outcome.status), JSON.stringify(outcome));

  const again = startServer(t, home, { env });
  await again.ready();
  const returned = await signIn(home.origin, (await readFirstRun(home)).operator);
  const { body } = await returned.get('/tenants?pageSize=100');
  const there = new Set(body.items.map((tenant: { subdomain: string }) => tenant.subdomain));
  for (const { n, status } of outcomes)
    assert.equal(there.has(`tenant-${n}`), status === 201, `tenant-${n} was answered ${status}`);
  assert.ok(outcomes.some(({ status }) => status === 201));
  assert.equal(await again.stop(), 0);
});

test('a client that keeps its connection open does not hold up the end', async (t) => {
  const home = await makeHome(t);
  const { appUrl, ownerUrl } = await makeOwnDatabase(t);
  const server = startServer(t, home, {
    env: {
      DATABASE_URL: appUrl,
      TENANTRY_OWNER_DATABASE_URL: ownerUrl,
      TENANTRY_SHUTDOWN_GRACE_SECONDS: '600',
    },
  });
  await server.ready();
  const idle = connect(home.port, '127.0.0.1');
  t.after(() => idle.destroy());
  idle.write('GET /api/health/ping HTTP/1.1\r\nhost: here\r\n\r\n');
  await new Promise((resolve) => idle.once('data', resolve));
  assert.equal(await server.stop(), 0);
});

interface Outcome {
  readonly n: number;
  readonly status: number | 'closed';
}

async function outcomeOf(operator: TestClient, n: number): Promise<Outcome> {
  return operator.post('/tenants', newTenant(n)).then(
    ({ status }) => ({ n, status }),
    (): Outcome => ({ n, status: 'closed' }),
  );
}
