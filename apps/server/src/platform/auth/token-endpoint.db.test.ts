import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { TEST_BASE_URL } from '#test/template.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const CLIENTS = '/api/settings/api-clients';
const GRANT = { grant_type: 'client_credentials', scope: 'api' };

interface Asked {
  readonly form?: Record<string, string> | string;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

async function ask({ form = {}, headers = {}, path = '/connect/token' }: Asked) {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return api.anonymous.send('POST', path, body, { headers: { ...type, ...headers } });
}

const asPost = (id: string, secret: string) => ({ form: { ...GRANT, client_id: id, client_secret: secret } });
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const works = async (id: string, secret: string): Promise<boolean> =>
  (await ask(asPost(id, secret))).status === 200;

describe('A token is issued', () => {
  for (const [name, request] of Object.entries({
    'for credentials in the body': asPost(tenant.clientId, tenant.clientSecret),
    'for credentials in a Basic header': {
      form: GRANT,
      headers: basic(tenant.clientId, tenant.clientSecret),
    },
    'under /api/v1 as well': {
      ...asPost(tenant.clientId, tenant.clientSecret),
      path: '/api/v1/connect/token',
    },
  })) {
    it(name, async () => {
      const reply = await ask(request);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(Object.keys(reply.body).sort(), ['access_token', 'expires_in', 'scope', 'token_type']);
      assert.deepEqual(
        { ...reply.body, access_token: '' },
        { access_token: '', token_type: 'Bearer', expires_in: 3600, scope: 'api' },
      );
      assert.equal(reply.headers.get('cache-control'), 'no-store');
    });
  }

  it('that says whose it is and for how long, and nothing secret', async () => {
    const { body } = await ask(asPost(tenant.clientId, tenant.clientSecret));
    const claims = decodeJwt(body.access_token);
    assert.deepEqual(Object.keys(claims).sort(), [
      'aud',
      'client_id',
      'exp',
      'iat',
      'iss',
      'jti',
      'scope',
      'sub',
      'tenant_id',
    ]);
    assert.equal(claims.tenant_id, tenant.id);
    assert.equal(claims.client_id, tenant.clientId);
    assert.equal(Number(claims.exp) - Number(claims.iat), 3600);
  });

  it('that anybody can verify with the published keys', async () => {
    const { body } = await ask(asPost(tenant.clientId, tenant.clientSecret));
    const { body: jwks } = await api.anonymous.get('/.well-known/jwks');
    const options = { issuer: TEST_BASE_URL, audience: TEST_BASE_URL, typ: 'at+jwt', algorithms: ['ES256'] };
    const { payload } = await jwtVerify(body.access_token, createLocalJWKSet(jwks), options);
    assert.equal(payload.tenant_id, tenant.id);
  });

  it('without a scope where none that there is was asked for, and opens nothing', async () => {
    const { form } = asPost(tenant.clientId, tenant.clientSecret);
    for (const scope of ['admin', '']) {
      const { body } = await ask({ form: { ...form, scope } });
      assert.equal(body.scope, undefined);
      const reply = await new TestClient(api.origin, body.access_token).get('/tenants');
      assert.equal(reply.status, 403);
      assert.equal(reply.body.type, `${TEST_BASE_URL}/problems/insufficient-scope`);
    }
  });

  it('for this service only, whatever resource is asked for', async () => {
    const { form } = asPost(tenant.clientId, tenant.clientSecret);
    const { status, body } = await ask({ form: { ...form, resource: 'https://other.example' } });
    if (status === 200) assert.equal(decodeJwt(body.access_token).aud, TEST_BASE_URL);
    else assert.equal(status, 400);
  });
});

describe('A token is refused in the form of OAuth (RFC 6749, 5.2)', () => {
  const { form } = asPost(tenant.clientId, tenant.clientSecret);
  const cases: [string, Asked, number, string][] = [
    ['for a wrong secret', asPost(tenant.clientId, 'wrong'), 401, 'invalid_client'],
    [
      'for a wrong secret in a Basic header',
      { form: GRANT, headers: basic(tenant.clientId, 'wrong') },
      401,
      'invalid_client',
    ],
    ['for an unknown client', asPost('tc_unknown', tenant.clientSecret), 401, 'invalid_client'],
    ['for an empty secret', asPost(tenant.clientId, ''), 401, 'invalid_client'],
    [
      'for what stands in for the secret inside the issuer',
      asPost(tenant.clientId, 'kept-as-digest'),
      401,
      'invalid_client',
    ],
    [
      'for the hint of a secret',
      asPost(tenant.clientId, `…${tenant.clientSecret.slice(-4)}`),
      401,
      'invalid_client',
    ],
    ['for a client id with a NUL', asPost('a\0b', 'x'), 401, 'invalid_client'],
    ['for a client id of 20 kB', asPost('x'.repeat(20_000), 'x'), 401, 'invalid_client'],
    ['without credentials', { form: GRANT }, 400, 'invalid_request'],
    ['without a secret', { form: { ...GRANT, client_id: tenant.clientId } }, 401, 'invalid_client'],
    ['without a grant type', { form: { ...form, grant_type: '' } }, 400, 'invalid_request'],
    ['for a password grant', { form: { ...form, grant_type: 'password' } }, 400, 'unsupported_grant_type'],
    [
      'for a code grant',
      { form: { ...form, grant_type: 'authorization_code' } },
      400,
      'unsupported_grant_type',
    ],
    [
      'for a parameter given twice',
      { form: `${new URLSearchParams(form)}&client_id=other` },
      400,
      'invalid_request',
    ],
    [
      'for credentials given twice',
      { form, headers: basic(tenant.clientId, tenant.clientSecret) },
      400,
      'invalid_request',
    ],
    ['for an empty body', { form: '' }, 400, 'invalid_request'],
    [
      'for JSON',
      { form: JSON.stringify(form), headers: { 'content-type': 'application/json' } },
      400,
      'invalid_request',
    ],
    [
      'for a Basic header that is garbage',
      { form: GRANT, headers: { authorization: 'Basic %%%' } },
      400,
      'invalid_request',
    ],
  ];
  for (const [name, request, status, error] of cases) {
    it(name, async () => {
      const reply = await ask(request);
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.body.error, error);
      assert.equal(typeof reply.body.error_description, 'string');
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.ok(!reply.text.includes(tenant.clientSecret));
      if (request.headers?.authorization?.length !== undefined && status === 401) {
        assert.match(reply.headers.get('www-authenticate') ?? '', /^Basic /);
      }
    });
  }

  it('in the form of OAuth to a browser as well', async () => {
    const reply = await ask({ form: { ...form, client_secret: 'wrong' }, headers: { accept: 'text/html' } });
    assert.equal(reply.status, 401);
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(reply.body.error, 'invalid_client');
  });

  it('and does not take a body without end', async () => {
    const reply = await ask({ form: { ...form, padding: 'x'.repeat(2_000_000) } });
    assert.ok([400, 413].includes(reply.status), reply.text);
    assert.equal((await api.anonymous.get('/api/health/ping')).status, 200);
  });
});

describe('The secrets of a client', () => {
  const newClient = async () => (await tenant.client.post(CLIENTS, { name: 'Shop' })).body;
  const rotate = async (id: string, body?: object) =>
    (await tenant.client.post(`${CLIENTS}/${id}/rotate-secret`, body)).body;

  it('overlap for the grace period, and the old one ends with it', async () => {
    const shop = await newClient();
    const rotated = await rotate(shop.id, { graceSeconds: 60 });
    assert.equal(rotated.secrets.length, 2);
    assert.ok(await works(shop.clientId, shop.clientSecret));
    assert.ok(await works(shop.clientId, rotated.clientSecret));
    api.clock.advance(60_000);
    assert.ok(!(await works(shop.clientId, shop.clientSecret)));
    assert.ok(await works(shop.clientId, rotated.clientSecret));
  });

  it('overlap for a day unless told otherwise', async () => {
    const shop = await newClient();
    const { secrets } = await rotate(shop.id);
    const [fresh, old] = secrets;
    assert.equal(fresh.expiresAt, null);
    assert.equal(Date.parse(old.expiresAt) - api.clock.now().getTime(), 24 * 60 * 60 * 1000);
  });

  it('end at once with a grace of nothing', async () => {
    const shop = await newClient();
    const rotated = await rotate(shop.id, { graceSeconds: 0 });
    assert.equal(rotated.secrets.length, 1);
    assert.ok(!(await works(shop.clientId, shop.clientSecret)));
    assert.ok(await works(shop.clientId, rotated.clientSecret));
  });

  it('are never more than two that live: a third ends the first', async () => {
    const shop = await newClient();
    api.clock.advance(1_000);
    const second = await rotate(shop.id);
    api.clock.advance(1_000);
    const third = await rotate(shop.id);
    assert.equal(third.secrets.length, 2);
    assert.ok(!(await works(shop.clientId, shop.clientSecret)));
    assert.ok(await works(shop.clientId, second.clientSecret));
    assert.ok(await works(shop.clientId, third.clientSecret));
  });

  it('tell when they were used last', async () => {
    const shop = await newClient();
    assert.equal(shop.secrets[0].lastUsedAt, null);
    assert.ok(await works(shop.clientId, shop.clientSecret));
    let lastUsedAt: string | null = null;
    for (let tries = 0; lastUsedAt === null && tries < 100; tries++) {
      await after(20); // it is written behind the answer
      lastUsedAt = (await tenant.client.get(`${CLIENTS}/${shop.id}`)).body.secrets[0].lastUsedAt;
    }
    assert.equal(lastUsedAt, api.clock.now().toISOString());
  });

  it('fetch no token for a client that is disabled, and do again when it is not', async () => {
    const shop = await newClient();
    await tenant.client.put(`${CLIENTS}/${shop.id}`, { status: 'disabled' });
    assert.equal((await ask(asPost(shop.clientId, shop.clientSecret))).body.error, 'invalid_client');
    await tenant.client.put(`${CLIENTS}/${shop.id}`, { status: 'active' });
    assert.ok(await works(shop.clientId, shop.clientSecret));
  });

  it('fetch no token for a client that is revoked', async () => {
    const shop = await newClient();
    await tenant.client.delete(`${CLIENTS}/${shop.id}`);
    assert.equal((await ask(asPost(shop.clientId, shop.clientSecret))).body.error, 'invalid_client');
  });
});

describe('The documents of the issuer', () => {
  for (const headers of [
    {},
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  ]) {
    it(`name the configured address: ${JSON.stringify(headers)}`, async () => {
      const { request } = await import('node:http');
      const text = await new Promise<string>((resolve, reject) => {
        const url = `${api.origin}/.well-known/openid-configuration`;
        request(url, { headers }, async (response) =>
          resolve(Buffer.concat(await response.toArray()).toString()),
        )
          .on('error', reject)
          .end();
      });
      const document = JSON.parse(text);
      assert.equal(document.issuer, TEST_BASE_URL);
      assert.equal(document.token_endpoint, `${TEST_BASE_URL}/connect/token`);
      assert.equal(document.jwks_uri, `${TEST_BASE_URL}/.well-known/jwks`);
      assert.ok(!text.includes('evil.example'));
    });
  }

  it('publish no private key', async () => {
    const { status, body } = await api.anonymous.get('/.well-known/jwks');
    assert.equal(status, 200);
    for (const key of body.keys) {
      assert.equal(key.d, undefined);
      assert.equal(key.alg, 'ES256');
    }
  });
});
