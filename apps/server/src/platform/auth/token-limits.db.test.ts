import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openTestApi } from '#test/harness.ts';

const api = await openTestApi({ rateLimitToken: 5, rateBurstPercent: 0 });

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
  for (let left = 4; left >= 0; left--) {
    const reply = await ask('tc_guessed');
    assert.equal(reply.status, 401, reply.text);
    assert.equal(reply.headers.get('ratelimit-policy'), '"token";q=5;w=60');
    assert.match(reply.headers.get('ratelimit') ?? '', new RegExp(`^"token";r=${left};t=\\d+$`));
  }
  const refused = await ask('tc_guessed');
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  assert.equal(refused.headers.get('content-type'), 'application/problem+json; charset=utf-8');
  assert.equal((await ask('tc_other')).status, 401);
});

it('A Basic header counts for the same client as the body', async () => {
  const header = { authorization: `Basic ${Buffer.from('tc_both:wrong').toString('base64')}` };
  for (let count = 0; count < 5; count++) assert.equal((await ask('tc_both')).status, 401);
  const reply = await api.anonymous.send('POST', '/connect/token', 'grant_type=client_credentials', {
    headers: { ...header, 'content-type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(reply.status, 429);
});
