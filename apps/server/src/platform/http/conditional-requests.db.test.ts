import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const newShop = async () => {
  const { body, headers } = await client.post('/api/settings/api-clients', { name: 'Shop' });
  return {
    path: `/api/settings/api-clients/${body.id}`,
    etag: headers.get('etag') ?? '',
    id: body.id as string,
  };
};
const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } });
const ifNoneMatch = (tag: string) => ({ headers: { 'if-none-match': tag } });

describe('If-None-Match', () => {
  it('spares the body of what has not changed, and only that', async () => {
    const { path, etag } = await newShop();
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const reply = await client.get(path, ifNoneMatch(tag));
      assert.equal(reply.status, 304, tag);
      assert.equal(reply.text, '');
      assert.equal(reply.headers.get('etag'), etag);
    }
    assert.equal((await client.send('HEAD', path, undefined, ifNoneMatch(etag))).status, 304);
    await client.put(path, { name: 'Other' });
    const changed = await client.get(path, ifNoneMatch(etag));
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get('etag'), etag);
  });
});

describe('If-Match', () => {
  it('lets a change through that is based on the newest version', async () => {
    for (const tagOf of [(etag: string) => etag, (etag: string) => `"x", ${etag}`, () => '*']) {
      const { path, etag } = await newShop();
      assert.equal((await client.put(path, { name: 'Other' }, ifMatch(tagOf(etag)))).status, 200);
    }
  });

  it('refuses one that is not, changes nothing and tells the newest', async () => {
    const { path, etag } = await newShop();
    await client.put(path, { name: 'Other' });
    for (const [tag, send] of [
      [etag, (extras: object) => client.put(path, { name: 'Late' }, extras)],
      ['W/"2"', (extras: object) => client.put(path, { name: 'Late' }, extras)],
      [etag, (extras: object) => client.delete(path, extras)],
    ] as const) {
      const reply = await send(ifMatch(tag));
      assert.equal(reply.status, 412, tag);
      assert.equal(reply.headers.get('etag'), '"2"');
      assert.match(reply.body.type, /\/problems\/precondition-failed$/);
    }
    assert.equal((await client.get(path)).body.name, 'Other');
  });

  it('of two changes at once with the same tag lets exactly one through', async () => {
    for (let round = 0; round < 5; round++) {
      const { path, etag } = await newShop();
      const replies = await Promise.all(
        ['A', 'B', 'C'].map((name) => client.put(path, { name }, ifMatch(etag))),
      );
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 412, 412]);
      const winner = replies.find(({ status }) => status === 200);
      assert.deepEqual((await client.get(path)).body, winner?.body);
    }
  });

  it('holds for workspaces as well', async () => {
    const operator = await api.operator();
    const path = `/tenants/${(await api.newTenant()).id}`;
    const etag = (await operator.get(path)).headers.get('etag') ?? '';
    const replies = await Promise.all(['A', 'B'].map((name) => operator.put(path, { name }, ifMatch(etag))));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 412]);
  });
});

it('A PUT that changes nothing leaves the version, the time and the audit log as they are', async () => {
  const { path, etag, id } = await newShop();
  const before = (await client.get(path)).body;
  api.clock.advance(1_000);
  for (const body of [{ name: 'Shop' }, { name: 'Shop', roles: [], status: 'active' }, {}]) {
    const reply = await client.put(path, body);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('etag'), etag);
    assert.deepEqual(reply.body, before);
  }
  const rows = await asSuperuser(
    api.cluster,
    async (sql) => (await sql.query('select action from audit_log where resource_id = $1', [id])).rows,
    api.databaseName,
  );
  assert.deepEqual(rows, [{ action: 'apiClient.created' }]);
});
