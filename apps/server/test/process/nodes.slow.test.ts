import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeOwnDatabase } from './own-database.ts';
import { makeHome, readFirstRun, signIn, startServer, until } from './server-process.ts';

test('several nodes serve one database of one’s own', async (t) => {
  const { appUrl, ownerUrl } = await makeOwnDatabase(t);
  const shared = {
    DATABASE_URL: appUrl,
    TENANTRY_SECRET_KEY: randomBytes(32).toString('base64'),
    TENANTRY_BASE_URL: 'https://tenantry.example',
  };
  const [homeA, homeB, homeC] = [await makeHome(t), await makeHome(t), await makeHome(t)];
  await mkdir(homeA.dataDir, { recursive: true });
  await writeFile(join(homeA.dataDir, 'first-run.json'), 'of another database');
  const a = startServer(t, homeA, { env: { ...shared, TENANTRY_OWNER_DATABASE_URL: ownerUrl } });
  await a.ready();
  const { demo } = await readFirstRun(homeA);
  assert.ok(demo);
  const b = startServer(t, homeB, { env: { ...shared, TENANTRY_ROLE: 'api' } });
  const worker = startServer(t, homeC, { env: { ...shared, TENANTRY_ROLE: 'worker' } });
  await Promise.all([b.ready(), worker.ready()]);

  await t.test(
    'the credentials of another database that were in the folder are kept beside the new',
    async () => {
      const [kept = ''] = (await readdir(homeA.dataDir)).filter((name) =>
        /^first-run\.json\.\d+$/.test(name),
      );
      assert.equal(await readFile(join(homeA.dataDir, kept), 'utf8'), 'of another database');
    },
  );

  await t.test('the second needs no owner, makes no workspace of its own and shows no secrets', async () => {
    await assert.rejects(readFirstRun(homeB), { code: 'ENOENT' });
    assert.doesNotMatch(b.stdout(), /client secret/);
  });

  await t.test('a token of one is good on the other, until it is revoked on either', async () => {
    const onA = await signIn(homeA.origin, demo);
    const { body } = await onA.post('/api/settings/api-clients', { name: 'short-lived' });
    const token = { clientId: body.clientId, clientSecret: body.clientSecret };
    const shortLived = await signIn(homeB.origin, token);
    assert.equal((await shortLived.get('/tenants')).status, 200);
    assert.equal((await onA.delete(`/api/settings/api-clients/${body.id}`)).status, 204);
    await until(async () => (await shortLived.get('/tenants')).status === 401);
  });

  await t.test('a worker does not listen, and says so', async () => {
    await assert.rejects(fetch(`${homeC.origin}/api/health/ping`));
    assert.match(worker.stdout(), /answers no requests/);
    assert.doesNotMatch(worker.stdout(), /API +http/);
  });

  await t.test('one that ends leaves the others and the database in service', async () => {
    assert.equal(await a.stop(), 0);
    assert.equal((await (await signIn(homeB.origin, demo)).get('/tenants')).status, 200);
    assert.deepEqual(await Promise.all([b.stop(), worker.stop()]), [0, 0]);
    for (const node of [a, b, worker]) assert.equal(node.stderr(), '');
  });
});
