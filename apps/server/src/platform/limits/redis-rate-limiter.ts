import { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterRedis } from 'rate-limiter-flexible';
import { counterOptions, limitBy } from './counting-rate-limiter.ts';
import type { LimitsLog, RateLimiter } from './rate-limiter.ts';

/**
 * For several nodes. Whatever is wrong with Redis, a request is answered: by the insurance, which counts for this
 * node alone, at once while there is no connection and after `commandTimeout` while there seems to be one.
 */
export function openRedisRateLimiter(
  url: string,
  insurance: RateLimiterAbstract,
  log: LimitsLog,
): RateLimiter {
  const redis = connect(url, log);
  const counter = new RateLimiterRedis({
    ...counterOptions,
    keyPrefix: 'tenantry:limit',
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: insurance,
  });
  return limitBy(
    counter,
    async () => redis.disconnect(),
    async () => void (await redis.ping()),
  );
}

function connect(url: string, log: LimitsLog): Redis {
  const redis = new Redis(url, {
    // Nothing may queue up for a Redis that is away: a request is counted now or by the insurance.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    commandTimeout: 1000,
    // A Redis that hangs with its socket open is given up, so that further requests need not find out by waiting.
    socketTimeout: 2000,
    // Closing waits this long for a socket that may be dead, and a shutdown with it.
    disconnectTimeout: 200,
    retryStrategy: (times) => Math.min(times * 100, 2000),
    // After a failover the address may lead to what is now a replica; connecting again finds the new primary.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  reportState(redis, log);
  return redis;
}

/** Tells when the limits stop and start being shared, not each failed attempt in between. */
function reportState(redis: Redis, log: LimitsLog): void {
  let shared: boolean | undefined;
  const closed = 'The connection was closed.';
  let reason = closed;
  redis.on('error', (error: Error) => {
    // The whole error is not for the log: ioredis hangs the failed command on it, for HELLO with the password.
    reason = error.message;
  });
  redis.on('ready', () => {
    shared = true;
    log.info({}, 'Rate limits are shared through Redis.');
  });
  redis.on('reconnecting', () => {
    if (shared !== false) log.warn({ reason }, 'Redis cannot be reached: rate limits are kept per node.');
    shared = false;
    reason = closed;
  });
}
