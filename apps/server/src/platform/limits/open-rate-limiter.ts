import cluster from 'node:cluster';
import type { Settings } from '#platform/config/settings.ts';
import { ClusterCounter } from './cluster-counter.ts';
import { limitBy } from './counting-rate-limiter.ts';
import { createMemoryCounter } from './memory-counter.ts';
import type { LimitsLog, RateLimiter } from './rate-limiter.ts';
import { openRedisRateLimiter } from './redis-rate-limiter.ts';

/**
 * Several nodes share their windows through Redis, several processes of a node through its primary (which calls
 * `shareRateLimits`), and one process needs nothing. What counts for the node also stands in for Redis.
 */
export function openRateLimiter(
  settings: Pick<Settings, 'redisUrl' | 'workers'>,
  log: LimitsLog,
): RateLimiter {
  const node = settings.workers > 1 && cluster.isWorker ? new ClusterCounter() : createMemoryCounter();
  if (settings.redisUrl === undefined) return limitBy(node);
  return openRedisRateLimiter(settings.redisUrl, node, log);
}
