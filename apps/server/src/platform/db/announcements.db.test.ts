import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchToken, TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

const api = await openTestApi();
const second = await api.secondNode();
const CLIENTS = '/api/settings/api-clients';

const sql = (text: string, values?: unknown[]) =>
  asSuperuser(api.cluster, (client) => client.query(text, values), api.databaseName);

const backends = `from pg_stat_activity where application_name = 'tenantry announcements' and datname = current_database()`;
const breakListening = () => sql(`select pg_terminate_backend(pid) ${backends}`);

/** The token of a new client, known to both nodes and in their memory. */
async function hotClient(roles: readonly string[] = []) {
  const tenant = await api.newTenant();
  const made = await tenant.client.post(CLIENTS, { name: 'Hot', roles });
  const token = await fetchToken(api.origin, made.body.clientId, made.body.clientSecret);
  const nodes = [new TestClient(api.origin, token), new TestClient(second.origin, token)] as const;
  for (const node of nodes) assert.equal((await node.get('/tenants')).status, 200);
  return { tenant, id: made.body.id as string, clientId: made.body.clientId as string, nodes };
}

const isTrueWithin = async (
  milliseconds: number,
  check: () => Promise<boolean> | boolean,
): Promise<boolean> => {
  const until = Date.now() + milliseconds;
  do {
    if (await check()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  } while (Date.now() < until);
  return false;
};

const answersWithin = (milliseconds: number, client: TestClient, status: number) =>
  isTrueWithin(milliseconds, async () => (await client.get('/tenants')).status === status);

describe('A change of access', () => {
  it('works on its own node with the reply and on another within a second: a revocation', async () => {
    const { tenant, id, nodes } = await hotClient();
    assert.equal((await tenant.client.delete(`${CLIENTS}/${id}`)).status, 204);
    assert.equal((await nodes[0].get('/tenants')).status, 401);
    assert.ok(await answersWithin(1_000, nodes[1], 401));
  });

  it('the same: a suspension, and its end', async () => {
    const { tenant, nodes } = await hotClient();
    const operator = await api.operator();
    for (const [status, answer] of [
      ['suspended', 403],
      ['active', 200],
    ] as const) {
      assert.equal((await operator.put(`/tenants/${tenant.id}`, { status })).status, 200);
      assert.equal((await nodes[0].get('/tenants')).status, answer);
      assert.ok(await answersWithin(1_000, nodes[1], answer));
    }
  });

  it('the same: a change of role', async () => {
    const { tenant, id, nodes } = await hotClient();
    const { rows } = await sql(
      `select id from role where tenant_id = $1 and not 'settings.read' = any (permissions) limit 1`,
      [tenant.id],
    );
    assert.equal((await nodes[1].get(CLIENTS)).status, 200);
    assert.equal((await tenant.client.put(`${CLIENTS}/${id}`, { roles: [rows[0].id] })).status, 200);
    assert.equal((await nodes[0].get(CLIENTS)).status, 403);
    assert.ok(await isTrueWithin(1_000, async () => (await nodes[1].get(CLIENTS)).status === 403));
  });

  it('made past the server, without an announcement, is not seen: the caches are hot indeed', async () => {
    const { clientId, nodes } = await hotClient();
    await sql(`update api_client set status = 'disabled' where client_id = $1`, [clientId]);
    for (const node of nodes) assert.equal((await node.get('/tenants')).status, 200);
  });
});

describe('A node that has lost its announcements', () => {
  it('trusts no cache: it asks the database until it hears again', async () => {
    const { clientId, nodes } = await hotClient();
    // No new connection can be made, so that the nodes stay deaf for as long as the test wants.
    await sql(
      `alter role tenantry_app in database ${api.databaseName} set session_preload_libraries = 'no such library'`,
    );
    try {
      await breakListening();
      const isDeaf = () =>
        !api.platform.db.announcements.isListening && !second.platform.db.announcements.isListening;
      assert.ok(await isTrueWithin(1_000, isDeaf));
      for (const node of nodes) assert.equal((await node.get('/tenants')).status, 200);
      await sql(`update api_client set status = 'disabled' where client_id = $1`, [clientId]); // announced to nobody
      for (const node of nodes) assert.equal((await node.get('/tenants')).status, 401);
    } finally {
      await sql(`alter role tenantry_app in database ${api.databaseName} reset session_preload_libraries`);
    }
    const hearsAgain = () =>
      api.platform.db.announcements.isListening && second.platform.db.announcements.isListening;
    assert.ok(await isTrueWithin(10_000, hearsAgain));
    for (const node of nodes) assert.equal((await node.get('/tenants')).status, 401);
  });

  it('listens once, however often it was cut off', async () => {
    const hears = () =>
      api.platform.db.announcements.isListening && second.platform.db.announcements.isListening;
    for (let round = 0; round < 3; round++) {
      await breakListening();
      assert.ok(await isTrueWithin(1_000, () => !hears()));
      assert.ok(await isTrueWithin(10_000, hears));
    }
    assert.equal((await sql(`select ${backends}`)).rows.length, 2);
  });
});
