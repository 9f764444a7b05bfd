import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

const api = await openTestApi();
const { clients, db } = api.platform;

const sql = (text: string, values?: unknown[]) =>
  asSuperuser(api.cluster, (client) => client.query(text, values), api.databaseName);

const setStatus = (clientId: string, status: string) =>
  sql('update api_client set status = $2 where client_id = $1', [clientId, status]);

const forget = (): void => db.announcements.tell('access', undefined);

describe('The cache of API clients', () => {
  it('answers at once what it knows, and without the database', async () => {
    const { clientId } = await api.newTenant();
    await clients.find(clientId);
    const known = clients.find(clientId);
    assert.ok(!(known instanceof Promise));
    assert.equal(known.isActive, true);
  });

  it('does not keep what was loaded before it was told of a change', async () => {
    const { clientId } = await api.newTenant();
    forget();
    const loading = clients.find(clientId);
    assert.ok(loading instanceof Promise);
    await setStatus(clientId, 'disabled');
    db.announcements.tell('access', `client:${clientId}`); // while the load is under way, whatever it has seen
    await loading;
    assert.ok(clients.find(clientId) instanceof Promise, 'a stale answer was kept');
    assert.equal((await clients.find(clientId))?.isActive, false);
  });

  it('forgets the client, the clients of the tenant, or all, as it is told', async () => {
    const [one, two] = [await api.newTenant(), await api.newTenant()];
    const known = (clientId: string): boolean => !(clients.find(clientId) instanceof Promise);
    const cases: readonly (readonly [payload: string | undefined, one: boolean, two: boolean])[] = [
      [`client:${one.clientId}`, false, true],
      [`tenant:${two.id}`, true, false],
      [undefined, false, false],
      ['something new', false, false], // of a newer node: rather forget too much
    ];
    for (const [payload, ofOne, ofTwo] of cases) {
      await Promise.all([clients.find(one.clientId), clients.find(two.clientId)]);
      db.announcements.tell('access', payload);
      assert.deepEqual([known(one.clientId), known(two.clientId)], [ofOne, ofTwo], payload);
      await Promise.all([clients.find(one.clientId), clients.find(two.clientId)]);
    }
  });

  it('does not remember clients that do not exist, so that a new one is found at once', async () => {
    assert.equal(await clients.find('tc_nobody'), undefined);
    assert.ok(clients.find('tc_nobody') instanceof Promise);
  });

  it('keeps nothing while announcements are not heard', async () => {
    const { clientId } = await api.newTenant();
    await clients.find(clientId);
    db.announcements.isListening = false;
    try {
      await setStatus(clientId, 'disabled');
      assert.equal((await clients.find(clientId))?.isActive, false);
      await setStatus(clientId, 'active');
      assert.equal((await clients.find(clientId))?.isActive, true);
    } finally {
      forget();
      db.announcements.isListening = true;
    }
  });

  it('gives no operator rights outside the platform tenant, whatever a role says', async () => {
    const tenant = await api.newTenant();
    await sql(
      `update role set permissions = array_append(permissions, 'platform.operate') where tenant_id = $1`,
      [tenant.id],
    );
    const { rows } = await sql('select id from role where tenant_id = $1 limit 1', [tenant.id]);
    const made = await tenant.client.post('/api/settings/api-clients', {
      name: 'Would-be operator',
      roles: [rows[0].id],
    });
    const clientId = made.body?.clientId ?? tenant.clientId;
    assert.equal((await clients.find(clientId))?.principal.isOperator, false);
  });
});
