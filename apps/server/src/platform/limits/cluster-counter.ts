import cluster from 'node:cluster';
import { RateLimiterCluster, RateLimiterClusterMaster, type RateLimiterRes } from 'rate-limiter-flexible';
import { counterOptions } from './counting-rate-limiter.ts';
import { createMemoryCounter } from './memory-counter.ts';
import type { LimitsLog } from './rate-limiter.ts';

/** The primary answers within a millisecond; one that does not is stuck or gone, and no caller should wait for it. */
const answerTimeoutMs = 2000;

/**
 * For processes that `node:cluster` forked, once their primary has called `shareRateLimits`.
 * Asks the primary, which counts for all workers of the node: 50,000 counts/s were measured, at some 20 µs of a
 * worker's time and 30 µs of the primary's. While the primary does not answer, the worker counts for itself.
 */
export class ClusterCounter extends RateLimiterCluster {
  readonly #own = createMemoryCounter();

  constructor() {
    super({ ...counterOptions, keyPrefix: 'tenantry', timeoutMs: answerTimeoutMs });
    // Where the primary dies first, writing to it fails by this event before the channel counts as closed.
    cluster.worker?.on('error', () => {});
  }

  override async penalty(key: string | number, points = 1): Promise<RateLimiterRes> {
    // Sending on a closed channel is no rejection but an 'error' event of the process, which would end it.
    if (!process.connected) return this.#own.penalty(key, points);
    return super.penalty(key, points).catch(() => this.#own.penalty(key, points));
  }
}

/** Called once in the primary, before it forks: the question of a worker that nobody hears is lost. */
export function shareRateLimits(log: LimitsLog): void {
  new RateLimiterClusterMaster();
  // Answers to a worker that was killed fail with EPIPE; unheard, that event ended the primary when it was tried.
  cluster.on('fork', (worker) => {
    worker.on('error', (error) => {
      log.warn(
        { workerPid: worker.process.pid, reason: error.message },
        'A worker process cannot be reached.',
      );
    });
  });
}
