import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openRateLimiter } from './open-rate-limiter.ts';
import { allowanceOf } from './rate-limiter.ts';

const silent = { info() {}, warn() {} };
const one = allowanceOf(1, 0);

// With workers, the primary itself still counts in memory: it has no primary to ask.
for (const settings of [
  { redisUrl: undefined, workers: 1 },
  { redisUrl: undefined, workers: 4 },
  { redisUrl: '/nonexistent/redis.sock', workers: 1 },
]) {
  it(`a process that stands alone limits by itself with ${JSON.stringify(settings)}`, async (t) => {
    const limiter = openRateLimiter(settings, silent);
    t.after(() => limiter.close());
    assert.equal((await limiter.consume('client', one)).allowed, true);
    assert.equal((await limiter.consume('client', one)).allowed, false);
    assert.equal((await limiter.consume('other', one)).allowed, true);
  });
}
