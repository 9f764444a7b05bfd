import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

const api = await openTestApi();
const shop = 'https://shop.example';
const open = await openTestApi({ corsOrigins: [shop] });
const secure = await openTestApi({ baseUrl: 'https://tenantry.example' });
const paths = [
  '/api/health/ping',
  '/tenants',
  '/nothing',
  '/%',
  '/docs',
  '/openapi.json',
  '/problems/not-found',
  '/.well-known/jwks',
];

describe('Every answer', () => {
  for (const path of paths) {
    it(`carries the security headers: ${path}`, async () => {
      const { headers } = await api.anonymous.get(path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^default-src 'none';.*frame-ancestors 'none'/,
      );
      assert.equal(headers.get('strict-transport-security'), null);
      assert.equal(headers.get('x-powered-by'), null);
      assert.equal(headers.get('server'), null);
      assert.match(
        (await secure.anonymous.get(path)).headers.get('strict-transport-security') ?? '',
        /max-age=\d{8}/,
      );
    });
  }

  it('is kept by no cache, where it belongs to somebody', async () => {
    const { client } = await api.newTenant();
    assert.equal((await client.get('/tenants')).headers.get('cache-control'), 'no-store');
    assert.equal((await api.anonymous.get('/tenants')).headers.get('cache-control'), 'no-store');
  });

  it("continues the caller's trace and echoes the caller's id of the request", async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01`, 'x-request-id': 'order-17' };
    const reply = await api.anonymous.get('/tenants', { headers });
    assert.equal(reply.body.traceId, trace);
    assert.equal(reply.headers.get('x-request-id'), 'order-17');
  });

  it('has a trace of its own where the given one is no trace', async () => {
    const wrong = [
      '',
      'x',
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      '00-4bf92f3577b34da6a3ce929d0e0e4736',
      'a'.repeat(5_000),
    ];
    const seen = new Set<string>();
    for (const value of wrong) {
      const reply = await api.anonymous.get('/tenants', {
        headers: { traceparent: value, 'x-request-id': `${value}<script>` },
      });
      assert.match(reply.body.traceId, /^[0-9a-f]{32}$/);
      assert.equal(reply.headers.get('x-request-id'), reply.body.traceId);
      seen.add(reply.body.traceId);
    }
    assert.equal(seen.size, wrong.length);
  });
});

describe('Browsers on other sites', () => {
  const preflight = {
    origin: shop,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization,if-match',
  };
  const tokenForm = { origin: shop, 'content-type': 'application/x-www-form-urlencoded' };
  const allowed = (headers: Headers): string | null => headers.get('access-control-allow-origin');

  it('are shut out unless the operator lets them in, of the token endpoint too', async () => {
    for (const headers of [preflight, { ...preflight, origin: 'null' }]) {
      assert.equal(
        allowed((await api.anonymous.send('OPTIONS', '/tenants', undefined, { headers })).headers),
        null,
      );
      assert.equal(
        allowed((await api.anonymous.send('OPTIONS', '/connect/token', undefined, { headers })).headers),
        null,
      );
    }
    assert.equal(allowed((await api.anonymous.get('/tenants', { headers: { origin: shop } })).headers), null);
    assert.equal(
      allowed((await api.anonymous.send('POST', '/connect/token', 'x=1', { headers: tokenForm })).headers),
      null,
    );
  });

  it('may use every method from a site that is let in, and read what they need', async () => {
    const asked = await open.anonymous.send('OPTIONS', '/tenants', undefined, { headers: preflight });
    assert.equal(asked.status, 204);
    assert.equal(allowed(asked.headers), shop);
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
      assert.match(asked.headers.get('access-control-allow-methods') ?? '', new RegExp(method));
    assert.match(asked.headers.get('access-control-allow-headers') ?? '', /authorization/);
    const reply = await open.anonymous.get('/tenants', { headers: { origin: shop } });
    assert.equal(reply.status, 401);
    assert.equal(allowed(reply.headers), shop);
    assert.match(
      reply.headers.get('access-control-expose-headers') ?? '',
      /ETag.*Location.*RateLimit.*Retry-After/,
    );
    assert.equal(
      allowed((await open.anonymous.send('POST', '/connect/token', 'x=1', { headers: tokenForm })).headers),
      shop,
    );
  });

  it('from any other site stay out', async () => {
    for (const origin of [
      'https://evil.example',
      'https://shop.example.evil.example',
      'http://shop.example',
      'null',
    ]) {
      assert.equal(allowed((await open.anonymous.get('/tenants', { headers: { origin } })).headers), null);
      assert.equal(
        allowed(
          (await open.anonymous.send('OPTIONS', '/tenants', undefined, { headers: { ...preflight, origin } }))
            .headers,
        ),
        null,
      );
      const token = await open.anonymous.send('POST', '/connect/token', 'x=1', {
        headers: { ...tokenForm, origin },
      });
      assert.equal(allowed(token.headers), null);
    }
  });

  it('do not change what OPTIONS says to others', async () => {
    const reply = await open.anonymous.send('OPTIONS', '/tenants');
    assert.equal(reply.status, 204);
    assert.match(reply.headers.get('allow') ?? '', /GET/);
  });

  it('may always read how tokens are verified', async () => {
    const { headers } = await api.anonymous.get('/.well-known/jwks', { headers: { origin: shop } });
    assert.ok(['*', shop].includes(allowed(headers) ?? ''));
  });
});

it('A server that lags behind says so with 503 and Retry-After, and recovers', async () => {
  const busy = await openTestApi({ maxEventLoopDelayMs: 10 });
  const block = setInterval(() => {
    const until = performance.now() + 100;
    while (performance.now() < until);
  }, 105);
  let refused = await busy.anonymous.get('/tenants');
  for (let tries = 0; refused.status !== 503 && tries < 100; tries++)
    refused = await busy.anonymous.get('/tenants');
  assert.equal((await busy.anonymous.get('/api/health/ping')).status, 200, 'a busy process is alive');
  clearInterval(block);
  assert.equal(refused.status, 503);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  assert.match(refused.body.type, /\/problems\/overloaded$/);
  let status: number = refused.status;
  for (let tries = 0; status === 503 && tries < 200; tries++) {
    await after(50);
    ({ status } = await busy.anonymous.get('/tenants'));
  }
  assert.equal(status, 401);
});

it('A database that takes too long is no fault of the server: 503 and Retry-After', async () => {
  const slow = await openTestApi();
  const tenant = await slow.newTenant();
  await asSuperuser(
    slow.cluster,
    async (superuser) => {
      await superuser.query('begin');
      await superuser.query('lock table tenant in access exclusive mode');
      const reply = await tenant.client.get(`/tenants/${tenant.id}`);
      assert.equal(reply.status, 503, reply.text);
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
      await superuser.query('rollback');
    },
    slow.databaseName,
  );
  assert.equal((await tenant.client.get(`/tenants/${tenant.id}`)).status, 200);
});
