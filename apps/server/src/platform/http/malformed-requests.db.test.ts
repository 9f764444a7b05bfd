import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchToken, type Reply, TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { TEST_BASE_URL } from '#test/template.ts';
import {
  type Malformed,
  malformedAddresses,
  malformedBodies,
  sendRaw,
} from './malformed-requests.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const token = await fetchToken(api.origin, tenant.clientId, tenant.clientSecret);

/** What every refusal looks like, whoever refuses. */
function assertProblem(document: Record<string, unknown>, status: number, instance: string): void {
  assert.equal(document.status, status, JSON.stringify(document).slice(0, 500));
  assert.match(String(document.type), new RegExp(`^${TEST_BASE_URL}/problems/[a-z-]+$`));
  for (const field of ['title', 'detail'] as const)
    assert.ok(String(document[field] ?? '').length > 0, field);
  assert.match(String(document.traceId), /^[0-9a-f]{32}$/);
  assert.equal(document.instance, instance);
}

function assertProblemReply(reply: Reply, status: number, path: string): void {
  assert.equal(
    reply.headers.get('content-type'),
    'application/problem+json; charset=utf-8',
    reply.text.slice(0, 500),
  );
  assert.equal(reply.status, status, reply.text.slice(0, 500));
  assertProblem(reply.body, status, path.split('?', 1)[0] as string);
  assert.ok(reply.text.length < 50_000, `an answer of ${reply.text.length} characters`);
  assert.ok(!reply.text.includes(token) && !reply.text.includes(tenant.clientSecret));
  assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
}

const assertAlive = async (): Promise<void> =>
  assert.equal((await tenant.client.get('/tenants')).status, 200);

for (const [title, table] of [
  ['A malformed body', malformedBodies],
  ['A malformed address or header', malformedAddresses],
] as const) {
  describe(`${title} is answered with a problem, and the next request with its answer`, () => {
    for (const request of table) it(request.name, () => refuses(request));
  });
}

async function refuses({
  method = 'GET',
  path = '/',
  body,
  headers = {},
  expected,
}: Malformed): Promise<void> {
  const sent = path.replace('{own}', tenant.id);
  assertProblemReply(await tenant.client.send(method, sent, body, { headers }), expected, sent);
  await assertAlive();
}

describe('Bytes that are no HTTP request, or one that lies about its length, are answered and the server lives on', () => {
  const head = (line: string, ...headers: string[]): string =>
    [line, 'Host: x', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n');
  const json = 'Content-Type: application/json';
  const cases: [string, number, string | Buffer][] = [
    ['garbage', 400, 'hello\r\n\r\n'],
    ['binary garbage', 400, Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x0d, 0x0a, 0x0d, 0x0a])],
    ['an unknown method', 400, head('FROB /tenants HTTP/1.1')],
    ['a method in lower case', 400, head('get /tenants HTTP/1.1')],
    ['a QUERY without a type', 405, head('QUERY /tenants HTTP/1.1')],
    ['a QUERY without a type at an unknown path', 400, head('QUERY /nothing HTTP/1.1')],
    ['a version that there is not', 400, head('GET /tenants HTTP/9.9')],
    ['no Host', 400, 'GET /tenants HTTP/1.1\r\n\r\n'],
    ['a Content-Length that is no number', 400, head('POST /tenants HTTP/1.1', json, 'Content-Length: ten')],
    ['a negative Content-Length', 400, head('POST /tenants HTTP/1.1', json, 'Content-Length: -1')],
    ['two lengths', 400, head('POST /tenants HTTP/1.1', json, 'Content-Length: 1', 'Content-Length: 2')],
    [
      'a length and chunks',
      400,
      `${head('POST /tenants HTTP/1.1', json, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    [
      'a chunk of no length',
      400,
      `${head('POST /api/settings/api-clients HTTP/1.1', json, 'Transfer-Encoding: chunked')}zz\r\n`,
    ],
    ['a header with a blank in its name', 400, head('GET /tenants HTTP/1.1', 'X Y: z')],
    ['a header with a NUL', 400, head('GET /tenants HTTP/1.1', 'X-Y: a\0b')],
    ['a folded header', 400, head('GET /tenants HTTP/1.1', 'X-Y: a', ' b')],
    ['a header of 100 kB', 431, head('GET /tenants HTTP/1.1', `X-Y: ${'x'.repeat(100_000)}`)],
    ['an address of 100 kB', 431, head(`GET /${'x'.repeat(100_000)} HTTP/1.1`)],
    [
      'a body announced larger than the limit',
      413,
      head('POST /api/settings/api-clients HTTP/1.1', json, 'Content-Length: 99999999999'),
    ],
    [
      'chunks that add up to more than the limit',
      413,
      `${head('POST /api/settings/api-clients HTTP/1.1', json, 'Transfer-Encoding: chunked')}${`10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(17)}0\r\n\r\n`,
    ],
    [
      'a raw byte above ASCII in the address',
      400,
      Buffer.from(head('GET /api/settings/api-clients/\xff HTTP/1.1'), 'latin1'),
    ],
  ];
  for (const [name, status, bytes] of cases) {
    it(name, async () => {
      const [answerHead = '', body = ''] = (await sendRaw(api.origin, bytes)).split('\r\n\r\n');
      assert.match(answerHead, new RegExp(`^HTTP/1.1 ${status} `), answerHead || 'nothing was answered');
      assert.match(answerHead, /content-type: application\/problem\+json/i);
      const document = JSON.parse(body) as Record<string, unknown>;
      assertProblem(document, status, String(document.instance));
      await assertAlive();
    });
  }
});

describe('A refusal tells what is wrong', () => {
  it('with every fault of path, query and body at once, each at its JSON pointer', async () => {
    const body = { name: '', roles: ['x'], 'a/b~c': 1 };
    const { body: problem } = await tenant.client.put('/api/settings/api-clients/1?x=1', body);
    assert.deepEqual(Object.keys(problem.errors).sort(), [
      '/a~1b~0c',
      '/name',
      '/path/id',
      '/query/x',
      '/roles/0',
    ]);
    assert.deepEqual(problem.errors['/a~1b~0c'], ['is not a known field']);
    assert.deepEqual(problem.errors['/path/id'], ['must be a valid uuid']);
    assert.match(problem.detail, /, and 4 more\.$/);
  });

  it('but of a very large body no more than its first fault', async () => {
    const body = { name: 1, roles: Array.from({ length: 20_000 }, (_, index) => index) };
    const { status, body: problem } = await tenant.client.post('/api/settings/api-clients', body);
    assert.equal(status, 400);
    assert.equal(Object.keys(problem.errors).length, 1);
  });

  it('and looks for no fault between fields whose own faults it has not all told', async () => {
    const product = {
      sku: 'A',
      name: 'A',
      price: '1',
      currency: 'EUR',
      stockOnHand: 'abc',
      taxRate: 'abc',
      taxCategory: 'Z',
    };
    for (const more of [{ tags: Array(200).fill(1) }, { unknown: Array(12_000).fill(1) }]) {
      const { status } = await tenant.client.post('/catalog/products', { ...product, ...more });
      assert.equal(status, 400);
    }
  });

  it('and that a parameter came twice', async () => {
    const { status, body } = await tenant.client.get('/catalog/products?status=active&status=archived');
    assert.deepEqual([status, body.errors], [400, { '/query/status': ['must be given once'] }]);
  });

  it('without quoting the body, in which a secret may stand', async () => {
    const reply = await tenant.client.post('/api/settings/api-clients', '{"name": hunter2-hunter2}');
    assert.equal(reply.status, 400);
    assert.ok(!/hunter2/.test(reply.text), reply.text);
  });

  it('naming the path as it was sent, in either spelling, without its query', async () => {
    for (const path of [
      '/api/v1/settings/api-clients/1',
      '/api/settings/api-clients/1',
      '/api/v1/tenants/1',
      '/api/v1/nothing',
    ]) {
      assert.equal((await tenant.client.get(`${path}?secret=1`)).body.instance, path);
    }
  });

  it('and pollutes no prototype on the way', async () => {
    await tenant.client.post('/api/settings/api-clients', '{"name":"x","__proto__":{"polluted":1}}');
    await tenant.client.get('/api/settings/api-clients?__proto__[polluted]=1');
    assert.equal((Object.prototype as { polluted?: unknown }).polluted, undefined);
  });

  it('naming the limit of a body', async () => {
    const reply = await tenant.client.post('/api/settings/api-clients', `"${'x'.repeat(1_048_576)}"`);
    assert.match(reply.body.detail, /1048576 bytes/);
  });
});

it('A client that leaves in the middle of its request harms nobody', async () => {
  const bytes = `POST /connect/token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\ngrant`;
  const { hostname, port } = new URL(api.origin);
  const { connect } = await import('node:net');
  for (let count = 0; count < 5; count++) {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(bytes, () => socket.destroy()));
      socket.on('close', () => resolve());
    });
  }
  await assertAlive();
  assert.equal((await new TestClient(api.origin).get('/api/health/ping')).status, 200);
});
