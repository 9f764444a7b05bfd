import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sendRaw } from '#platform/http/malformed-requests.fixture.ts';
import { openTestApi } from '#test/harness.ts';

const api = await openTestApi({ rateLimitToken: 5, rateBurstPercent: 0 });

const { client: administrator } = await api.newTenant();
const newClientId = async (): Promise<string> =>
  (await administrator.post('/api/settings/api-clients', { name: 'Guessed' })).body.clientId;

const ask = (clientId: string) =>
  api.anonymous.send(
    'POST',
    '/connect/token',
    `grant_type=client_credentials&client_id=${clientId}&client_secret=wrong`,
    {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  );

it('Guessing secrets of one client is cut off, and leaves every other client alone', async () => {
  const guessed = await newClientId();
  for (let left = 4; left >= 0; left--) {
    const reply = await ask(guessed);
    assert.equal(reply.status, 401, reply.text);
    assert.equal(reply.headers.get('ratelimit-policy'), '"token";q=5;w=60');
    assert.match(reply.headers.get('ratelimit') ?? '', new RegExp(`^"token";r=${left};t=\\d+$`));
  }
  const refused = await ask(guessed);
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  assert.equal(refused.headers.get('content-type'), 'application/problem+json; charset=utf-8');
  assert.equal((await ask(await newClientId())).status, 401);
});

it('Guessing client ids is cut off too, and leaves the known ones alone', async () => {
  for (let count = 0; count < 5; count++) assert.equal((await ask(`tc_nobody${count}`)).status, 401);
  assert.equal((await ask('tc_nobody5')).status, 429);
  assert.equal((await ask(await newClientId())).status, 401);
});

it('A Basic header counts for the same client as the body', async () => {
  const both = await newClientId();
  const header = { authorization: `Basic ${Buffer.from(`${both}:wrong`).toString('base64')}` };
  for (let count = 0; count < 5; count++) assert.equal((await ask(both)).status, 401);
  const reply = await api.anonymous.send('POST', '/connect/token', 'grant_type=client_credentials', {
    headers: { ...header, 'content-type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(reply.status, 429);
});

it('A Basic header counts for the same client however it is encoded', async () => {
  const statuses: number[] = [];
  const plain = await newClientId();
  const encoded = (index: number): string =>
    `${plain.slice(0, index)}%${plain.charCodeAt(index).toString(16)}${plain.slice(index + 1)}`;
  for (const clientId of [plain, ...[1, 2, 3, 4, 5].map(encoded)]) {
    const authorization = `Basic ${Buffer.from(`${clientId}:wrong`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
    const form = 'grant_type=client_credentials';
    statuses.push((await api.anonymous.send('POST', '/connect/token', form, { headers })).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
});

it('A refusal leaves the connection to its next request, whatever the body it did not read', async () => {
  for (let count = 0; count < 5; count++) await ask('tc_long');
  const body = `client_id=tc_long&padding=${'x'.repeat(900_000)}`;
  const head = [
    'POST /connect/token HTTP/1.1',
    'Host: x',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ];
  const next = 'GET /api/health/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const answers = await sendRaw(api.origin, `${head.join('\r\n')}\r\n\r\n${body}${next}`, 2);
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 429', 'HTTP/1.1 200']);
});
