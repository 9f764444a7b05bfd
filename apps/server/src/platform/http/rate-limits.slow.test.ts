import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { openTestApi } from '#test/harness.ts';

const api = await openTestApi({ rateLimitStandard: 1_000, rateBurstPercent: 20 });

it('A standard client is let through 1,200 times a minute, and again after the seconds that Retry-After tells', async () => {
  const { client } = await api.newTenant();
  let passed = 0;
  let refused: Headers | undefined;
  while (refused === undefined) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.get('/tenants')));
    passed += replies.filter(({ status }) => status === 200).length;
    refused = replies.find(({ status }) => status === 429)?.headers;
  }
  assert.equal(passed, 1_200);
  await after(Number(refused.get('retry-after')) * 1_000);
  assert.equal((await client.get('/tenants')).status, 200);
});
