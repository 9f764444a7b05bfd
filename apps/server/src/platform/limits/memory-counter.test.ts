import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { limitBy } from './counting-rate-limiter.ts';
import { createMemoryCounter } from './memory-counter.ts';
import { allowanceOf } from './rate-limiter.ts';

const five = allowanceOf(4, 25);

describe('rate limits in memory', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  });
  afterEach(() => mock.timers.reset());

  it('let limit and burst through, then refuse', async () => {
    const limiter = limitBy(createMemoryCounter());
    const verdicts = [];
    for (let i = 0; i < 7; i++) verdicts.push(await limiter.consume('client', five));
    assert.deepEqual(
      verdicts.map(({ allowed }) => allowed),
      [true, true, true, true, true, false, false],
    );
    assert.deepEqual(
      verdicts.map(({ remaining }) => remaining),
      [4, 3, 2, 1, 0, 0, 0],
    );
  });

  it('let a refused caller in again once it has waited as long as told, and not before', async () => {
    const limiter = limitBy(createMemoryCounter());
    for (let i = 0; i < 5; i++) await limiter.consume('client', five);
    mock.timers.tick(12_345);
    const { allowed, resetSeconds } = await limiter.consume('client', five);
    assert.deepEqual({ allowed, resetSeconds }, { allowed: false, resetSeconds: 48 });
    mock.timers.tick((resetSeconds - 1) * 1000);
    assert.deepEqual(await limiter.consume('client', five), {
      allowed: false,
      remaining: 0,
      resetSeconds: 1,
    });
    mock.timers.tick(1000);
    assert.deepEqual(await limiter.consume('client', five), {
      allowed: true,
      remaining: 4,
      resetSeconds: 60,
    });
  });

  it('never tell to wait for less than a second', async () => {
    const limiter = limitBy(createMemoryCounter());
    await limiter.consume('client', five);
    mock.timers.tick(59_999);
    assert.equal((await limiter.consume('client', five)).resetSeconds, 1);
  });

  it('hold keys of different tiers in one limiter, each with its own count', async () => {
    const limiter = limitBy(createMemoryCounter());
    assert.equal((await limiter.consume('standard', allowanceOf(1000, 20))).remaining, 1199);
    assert.equal((await limiter.consume('enterprise', allowanceOf(5000, 20))).remaining, 5999);
    assert.equal((await limiter.consume('standard', allowanceOf(5000, 20))).remaining, 5998);
  });

  it('forget keys whose window has ended', async () => {
    const counter = createMemoryCounter();
    const limiter = limitBy(counter);
    for (let i = 0; i < 1000; i++) await limiter.consume(`address ${i}`, five);
    assert.equal(counter.dump().storage.length, 1000);
    mock.timers.tick(60_000);
    assert.equal(counter.dump().storage.length, 0);
  });

  it('keep little of a long key and still tell long keys apart', async () => {
    const counter = createMemoryCounter();
    const limiter = limitBy(counter);
    await limiter.consume('x'.repeat(1_000_000), five);
    await limiter.consume(`${'x'.repeat(1_000_000)}y`, five);
    const keys = counter.dump().storage.map(({ key }) => String(key).length);
    assert.deepEqual(keys, [64, 64]);
  });
});

it('a burst is a share of the limit, rounded down', () => {
  assert.deepEqual(allowanceOf(1000, 20), { limit: 1000, burst: 200, windowSeconds: 60 });
  assert.equal(allowanceOf(120, 20).burst, 24);
  assert.equal(allowanceOf(3, 20).burst, 0);
});
