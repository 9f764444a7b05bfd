import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { commonProblems } from './common.problems.ts';
import { Problem } from './problem.ts';

const SAMPLE_MS = 250;

/** Answers 503 while the event loop lags by more than this, so that those who are let in are served; 0: never. */
export async function refuseOverload(app: FastifyInstance, maxEventLoopDelayMs: number): Promise<void> {
  if (maxEventLoopDelayMs === 0) return;
  // The first sample is of the start itself, which is work in one piece and says nothing about load.
  let isMeasured = false;
  app.addHook('onListen', async () => {
    setTimeout(() => {
      isMeasured = true;
    }, 2 * SAMPLE_MS).unref();
  });
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    sampleInterval: SAMPLE_MS,
    pressureHandler: () => {
      if (isMeasured) throw overloaded('The service has more to do than it can at this moment.');
    },
  });
}

export const overloaded = (detail: string): Problem =>
  new Problem(commonProblems.overloaded, { detail, headers: { 'retry-after': '1' } });
