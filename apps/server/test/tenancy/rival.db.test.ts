import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '#kernel/ids.ts';
import type { Route } from '#platform/http/route.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';
import { pathIds } from './path-tables.ts';
import { call, fill, idFaults, listFaults, makeIds } from './rival.ts';

/** Path parameters that name no row of a tenant, as `METHOD path name`. */
const NOT_ROWS: readonly string[] = [];

const api = await openTestApi();
const victim = await api.newTenant();
const rival = await api.newTenant();
const named = ({ method, path }: Route): string => `${method} ${path}`;
const withIds = api.routes.filter((route) => pathIds(route).length > 0);

const versionedGet = (path: string): boolean =>
  api.routes.some((route) => route.method === 'GET' && route.path === path && route.version !== undefined);

describe('A rival tenant', () => {
  it('is tried on every route with an id: each parameter says of which table it is', () => {
    const unnamed = api.routes.flatMap((route) => {
      const known = pathIds(route).map(({ parameter }) => parameter);
      return [...route.path.matchAll(/\{(\w+)\}/g)]
        .filter(([, name]) => !known.includes(name as string))
        .map(([, name]) => `${named(route)} ${name}`);
    });
    assert.deepEqual(unnamed, NOT_ROWS);
    assert.ok(withIds.length >= 6);
  });

  for (const route of withIds) {
    it(`gets 403 for another's and 404 for an unknown id: ${named(route)}`, async () => {
      assert.deepEqual(await idFaults(api, route, victim, rival), []);
    });
  }

  it('finds nothing of others in any list', async () => {
    assert.deepEqual(await listFaults(api, victim, rival), []);
  });

  for (const route of api.routes.filter(({ access }) => access === 'operator')) {
    it(`is no operator: ${named(route)}`, async () => {
      const { status, body } = await call(rival.client, route, fill(route.path, {}));
      assert.equal(status, 403);
      assert.match(body.type, /\/permission-denied$/);
    });
  }

  it('gets an answer of its own to an Idempotency-Key that another has used', async () => {
    const headers = { 'idempotency-key': 'the-same' };
    const theirs = await victim.client.post('/api/settings/api-clients', { name: 'Same' }, { headers });
    const own = await rival.client.post('/api/settings/api-clients', { name: 'Same' }, { headers });
    assert.equal(own.status, 201);
    assert.equal(own.headers.get('idempotent-replayed'), null);
    assert.notEqual(own.body.id, theirs.body.id);
  });

  it("cannot give its clients another's roles", async () => {
    const { rows } = await asSuperuser(
      api.cluster,
      (client) => client.query('select id from role where tenant_id = $1 limit 1', [victim.id]),
      api.databaseName,
    );
    const reply = await rival.client.post('/api/settings/api-clients', { name: 'X', roles: [rows[0].id] });
    const unknown = await rival.client.post('/api/settings/api-clients', { name: 'X', roles: [newId()] });
    assert.equal(reply.status, unknown.status);
    assert.ok(reply.status >= 400 && reply.status < 500, reply.text);
  });
});

describe('The testing twin', () => {
  it('is a rival of its production tenant, and the other way round', async () => {
    const twin = {
      ...victim,
      id: victim.testingId,
      client: await api.signIn(victim.testingClientId, victim.testingClientSecret),
    };
    const [route] = withIds.filter((each) => named(each) === 'GET /api/settings/api-clients/{id}');
    assert.ok(route);
    assert.deepEqual(await idFaults(api, route, victim, twin), []);
    assert.deepEqual(await idFaults(api, route, twin, victim), []);
  });
});

describe('Nobody', () => {
  for (const route of api.routes.filter(({ access }) => access !== 'public')) {
    it(`gets 401 without a token: ${named(route)}`, async () => {
      const { status, headers } = await call(api.anonymous, route, fill(route.path, {}));
      assert.equal(status, 401);
      assert.equal(headers.get('www-authenticate'), 'Bearer');
    });
  }
});

describe('If-Match', () => {
  const guarded = api.routes.filter(
    ({ method, path }) => (method === 'PUT' || method === 'DELETE') && versionedGet(path),
  );
  for (const route of guarded) {
    it(`with a tag that does not match answers 412: ${named(route)}`, async () => {
      const { ids } = await makeIds(route, victim);
      const owner = route.access === 'operator' ? await api.operator() : victim.client;
      const { status, text } = await call(owner, route, fill(route.path, ids), { 'if-match': '"nonsense"' });
      assert.equal(status, 412, text);
    });
  }
  it('guards at least the routes that were there when this was written', () =>
    assert.ok(guarded.length >= 3));
});

describe('The rival test', () => {
  it('fails when row security is dropped on one table', async () => {
    const broken = await openTestApi();
    const [theirs, ours] = [await broken.newTenant(), await broken.newTenant()];
    await asSuperuser(
      broken.cluster,
      (client) => client.query('alter table api_client disable row level security'),
      broken.databaseName,
    );
    for (const route of broken.routes.filter((each) =>
      pathIds(each).some(({ table }) => table === 'api_client'),
    )) {
      assert.notDeepEqual(await idFaults(broken, route, theirs, ours), [], named(route));
    }
    assert.notDeepEqual(await listFaults(broken, theirs, ours), []);
  });
});
