import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload, SignJWT } from 'jose';
import { fetchToken, TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { TEST_BASE_URL } from '#test/template.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const rival = await api.newTenant();
const good = await fetchToken(api.origin, tenant.clientId, tenant.clientSecret);
const header = decodeProtectedHeader(good);
const claims = decodeJwt(good);
const kid = String(header.kid);

/** The true key of this installation: what is refused below is refused for its claims, not for its signature. */
const trueKey = (await importJWK(api.platform.keys.current.privateJwk as never, 'ES256')) as KeyObject;
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const signed = (
  changes: JWTPayload = {},
  headerChanges: object = {},
  key: unknown = trueKey,
): Promise<string> =>
  new SignJWT({ ...claims, ...changes })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...headerChanges })
    .sign(key as KeyObject);

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signedWithPublicKey(form: 'pem' | 'jwk'): string {
  const publicKey = createPublicKey({ key: api.platform.keys.current.privateJwk as never, format: 'jwk' });
  const secret =
    form === 'pem'
      ? publicKey.export({ type: 'spki', format: 'pem' })
      : JSON.stringify(publicKey.export({ format: 'jwk' }));
  const content = `${base64({ alg: 'HS256', typ: 'at+jwt', kid })}.${base64(claims)}`;
  return `${content}.${createHmac('sha256', secret as string)
    .update(content)
    .digest('base64url')}`;
}

const now = Math.floor(api.clock.now().getTime() / 1000);
const without = (name: string): JWTPayload => ({ [name]: undefined });
const [head = '', payload = '', signature = ''] = good.split('.');

const badTokens: Record<string, string | Promise<string>> = {
  'alg none without a signature': `${base64({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.`,
  'alg none with the true signature': `${base64({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.${signature}`,
  'alg None in other letters': `${base64({ alg: 'nOnE', typ: 'at+jwt', kid })}.${payload}.`,
  'HS256 with the public key (PEM) as its secret': signedWithPublicKey('pem'),
  'HS256 with the public key (JWK) as its secret': signedWithPublicKey('jwk'),
  'another key under a known kid': signed({}, {}, otherKey),
  'another key under an unknown kid': signed({}, { kid: 'unknown' }, otherKey),
  'the true key under an unknown kid': signed({}, { kid: 'unknown' }),
  'no kid': signed({}, { kid: undefined }),
  'a key that it brings along': signed(
    {},
    { kid: undefined, jwk: createPublicKey(otherKey).export({ format: 'jwk' }) },
    otherKey,
  ),
  'another audience': signed({ aud: 'https://other.example' }),
  'no audience': signed(without('aud')),
  'another issuer': signed({ iss: 'https://other.example' }),
  'no issuer': signed(without('iss')),
  'an issuer with a slash too many': signed({ iss: `${TEST_BASE_URL}/` }),
  expired: signed({ exp: now - 1 }),
  'no expiry': signed(without('exp')),
  'an expiry that is a text': signed({ exp: 'tomorrow' as never }),
  'not yet valid': signed({ nbf: now + 3_600 }),
  'another type (an id token)': signed({}, { typ: 'JWT' }),
  'no type': signed({}, { typ: undefined }),
  'no tenant': signed(without('tenant_id')),
  'another tenant': signed({ tenant_id: rival.id }),
  'its own testing twin': signed({ tenant_id: tenant.testingId }),
  'a tenant that is no id': signed({ tenant_id: "' or 1=1" }),
  'a list of tenants': signed({ tenant_id: [tenant.id, rival.id] }),
  'no client': signed(without('client_id')),
  'an unknown client': signed({ client_id: 'tc_unknown' }),
  'the client of another tenant': signed({ client_id: rival.clientId }),
  'a client with a NUL': signed({ client_id: 'a\0b' }),
  'no token id': signed(without('jti')),
  'a critical extension that we do not know': signed({}, { crit: ['x'], x: 1 }).catch(() => 'x.y.z'),
  'a changed claim under the true signature': `${head}.${base64({ ...claims, tenant_id: rival.id })}.${signature}`,
  'a cut signature': `${head}.${payload}.${signature.slice(0, -4)}`,
  'two parts': `${head}.${payload}`,
  'four parts': `${good}.${signature}`,
  'a header that is no JSON': `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`,
  garbage: 'garbage',
  '10 kB of garbage': 'x'.repeat(10_000),
  '10 kB of dots': '.'.repeat(10_000),
};

describe('A token that this service has not issued for this very use is refused with 401 and invalid_token', () => {
  for (const [name, token] of Object.entries(badTokens)) {
    it(name, async () => {
      const reply = await new TestClient(api.origin, await token).get('/tenants');
      assert.equal(reply.status, 401, reply.text);
      assert.equal(reply.body.type, `${TEST_BASE_URL}/problems/invalid-token`);
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
      assert.ok(!reply.text.includes(await token) || name === 'garbage', 'the token is echoed');
    });
  }

  it('while one signed by the same key with the same claims passes', async () => {
    assert.equal((await new TestClient(api.origin, await signed()).get('/tenants')).status, 200);
  });
});

describe('An Authorization header of another form', () => {
  const basic = `Basic ${Buffer.from(`${tenant.clientId}:${tenant.clientSecret}`).toString('base64')}`;
  for (const authorization of [
    basic,
    good,
    'Bearer',
    'Bearer ',
    `Bearer ${good} x`,
    `Bearer a,${good}`,
    `Token ${good}`,
    '',
  ]) {
    it(`is refused: ${authorization.slice(0, 12)}…`, async () => {
      const reply = await api.anonymous.get('/tenants', { headers: { authorization } });
      assert.equal(reply.status, 401, reply.text);
      assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer/);
      assert.ok(!reply.text.includes(good) && !reply.text.includes(tenant.clientSecret));
    });
  }

  it('that is missing is asked for', async () => {
    const reply = await api.anonymous.get('/tenants');
    assert.equal(reply.status, 401);
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    assert.equal(reply.body.type, `${TEST_BASE_URL}/problems/unauthenticated`);
  });

  it('is taken whatever the letters of its scheme', async () => {
    assert.equal(
      (await api.anonymous.get('/tenants', { headers: { authorization: `bearer ${good}` } })).status,
      200,
    );
  });
});

describe('A genuine token', () => {
  it('without the scope is told so', async () => {
    const reply = await new TestClient(api.origin, await signed({ scope: 'apis openid' })).get('/tenants');
    assert.equal(reply.status, 403);
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer error="insufficient_scope", scope="api"');
    assert.equal(reply.body.type, `${TEST_BASE_URL}/problems/insufficient-scope`);
  });

  it('stops working when it expires, though it was seen before', async () => {
    const brief = new TestClient(api.origin, await signed({ exp: now + 60 }));
    assert.equal((await brief.get('/tenants')).status, 200);
    api.clock.advance(61_000);
    assert.equal((await brief.get('/tenants')).status, 401);
  });
});
