import { hash } from 'node:crypto';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { type Allowance, type RateLimiter, type Verdict, windowSeconds } from './rate-limiter.ts';

/** Every limiter of the library is one; only its counting is used. */
export type Counter = Pick<RateLimiterAbstract, 'penalty'>;

/**
 * The library fixes `points` when a limiter is made and rejects above them. Tiers differ by key here, so `points`
 * is never reached, `penalty` counts without rejecting, and the verdict is ours.
 */
export const counterOptions = { points: Number.MAX_SAFE_INTEGER, duration: windowSeconds };

/** Keys hold what callers send, such as a client id. A longer one is hashed, so that memory per key is bounded. */
const longestKey = 200;

const nothing = async (): Promise<void> => {};

export function limitBy(counter: Counter, close = nothing, check = nothing): RateLimiter {
  return {
    async consume(key, allowance) {
      const boundedKey = key.length > longestKey ? hash('sha256', key) : key;
      const { consumedPoints, msBeforeNext } = await counter.penalty(boundedKey, 1);
      return judge(consumedPoints, msBeforeNext, allowance);
    },
    check,
    close,
  };
}

function judge(consumed: number, msLeft: number, allowance: Allowance): Verdict {
  const left = allowance.limit + allowance.burst - consumed;
  return {
    allowed: left >= 0,
    remaining: Math.max(left, 0),
    resetSeconds: Math.max(Math.ceil(msLeft / 1000), 1),
  };
}
