import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { commonProblems } from './common.problems.ts';
import { Problem } from './problem.ts';

const SAMPLE_MS = 250;
const RESOLUTION_MS = 20;

/** Answered whatever the load: a supervisor that gets no answer here would kill a process that is only busy. */
export const LIVENESS_PATH = '/api/health/ping';

/**
 * Tells whether the event loop lags by more than this on average, so that those who are let in are served; 0: never.
 * By hand, because it is a timer and a comparison, and lets the liveness probe through without a special route option;
 * it measured no faster than @fastify/under-pressure.
 */
export function watchLag(
  app: FastifyInstance,
  maxEventLoopDelayMs: number,
): { readonly isTooLarge: boolean } {
  const lag = { isTooLarge: false };
  if (maxEventLoopDelayMs === 0) return lag;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let timer: NodeJS.Timeout | undefined;
  // Not before it listens: the start is work in one piece and says nothing about load.
  app.addHook('onListen', async () => {
    delay.enable();
    timer = setInterval(() => {
      if (delay.count > 0) lag.isTooLarge = delay.mean / 1e6 - RESOLUTION_MS > maxEventLoopDelayMs;
      delay.reset();
    }, SAMPLE_MS).unref();
  });
  app.addHook('onClose', async () => {
    clearInterval(timer);
    delay.disable();
  });
  return lag;
}

export const overloaded = (detail: string): Problem =>
  new Problem(commonProblems.overloaded, { detail, headers: { 'retry-after': '1' } });
