import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchToken } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { sendRaw } from './malformed-requests.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const token = await fetchToken(api.origin, tenant.clientId, tenant.clientSecret);
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
const byPath = Map.groupBy(api.routes, ({ path }) => path);
const addressOf = (path: string): string =>
  path.replaceAll(/\{\w+\}/g, '0190a000-0000-7000-8000-000000000000');

describe('Every path tells which methods it has', () => {
  for (const [path, routes] of byPath) {
    it(path, async () => {
      const offered: string[] = routes.map(({ method }) => method);
      const allow = [...offered, ...(offered.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
      for (const method of METHODS.filter((each) => !offered.includes(each))) {
        const reply = await api.anonymous.send(method, addressOf(path), method === 'GET' ? undefined : {});
        assert.equal(reply.status, 405, `${method} ${reply.text}`);
        assert.equal(reply.headers.get('allow'), allow);
        assert.match(reply.body.type, /\/problems\/method-not-allowed$/);
      }
      const options = await api.anonymous.send('OPTIONS', addressOf(path));
      assert.equal(options.status, 204);
      assert.equal(options.headers.get('allow'), allow);
      assert.equal(options.headers.get('access-control-allow-origin'), null);
    });
  }

  it('TRACE, which would send credentials back, included', async () => {
    const answer = await sendRaw(
      api.origin,
      'TRACE /tenants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abc\r\n\r\n',
    );
    assert.match(answer, /^HTTP\/1.1 405 /);
    assert.ok(!answer.includes('abc'));
  });
});

it('HEAD answers as GET does, without the body', async () => {
  for (const path of [
    '/tenants',
    `/tenants/${tenant.id}`,
    '/api/v1/settings/api-clients',
    '/tenants?page=0',
    '/tenants/1',
  ]) {
    const get = await tenant.client.get(path);
    const head = await fetch(api.origin + path, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(head.status, get.status, path);
    assert.equal(await head.text(), '');
    for (const name of ['etag', 'content-type', 'content-length']) {
      if (name === 'content-length' && get.status >= 400) continue;
      assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
    }
  }
});

describe('The format of an answer', () => {
  it('is chosen by Accept', async () => {
    for (const accept of [
      'application/json',
      '*/*',
      'application/*',
      'text/html, application/json;q=0.1',
      'TEXT/HTML,*/*;q=0.8',
      'application/json; charset=utf-8',
    ]) {
      assert.equal((await tenant.client.get('/tenants', { headers: { accept } })).status, 200, accept);
    }
    for (const accept of [
      'text/html',
      'application/json;q=0',
      'image/*',
      'nonsense',
      'application/json;q=abc',
    ]) {
      const reply = await tenant.client.get('/tenants', { headers: { accept } });
      assert.equal(reply.status, 406, accept);
      assert.match(reply.body.detail, /application\/json/);
    }
  });
});

describe('Nothing at all', () => {
  it('is at an unknown path, whatever the method, with or without a token', async () => {
    for (const client of [api.anonymous, tenant.client]) {
      for (const method of METHODS) {
        const reply = await client.send(method, '/nothing/here', method === 'GET' ? undefined : {});
        assert.equal(reply.status, 404, method);
        assert.equal(reply.body.title, 'Not Found');
        assert.equal(reply.body.instance, '/nothing/here');
      }
    }
  });

  it('is at a known path spelt in other ways', async () => {
    for (const path of [
      '/Tenants',
      '//tenants',
      '/api/v1/api/roles',
      '/api/v2/tenants',
      '/api/v1',
      '/tenants;x=1',
      '/v1/tenants',
    ]) {
      assert.equal((await tenant.client.get(path)).status, 404, path);
    }
  });
});
