import cluster, { type Worker } from 'node:cluster';
import type { Settings } from '#platform/config/settings.ts';
import { shareRateLimits } from '#platform/limits/cluster-counter.ts';
import type { Log } from '#platform/observability/log.ts';
import { StartError } from '#platform/start-error.ts';
import type { RunningProcess } from './process.ts';

/** What a worker process needs to know; sent over its channel, where nobody else can read it. */
export interface WorkerOrders {
  readonly settings: Settings;
  readonly appUrl: string;
  readonly instanceKey: string;
}

/** What a worker tells about its start. The rate limits talk over the same channel. */
export type WorkerReport = { readonly ready: true } | { readonly failed: string };

const RESTART_MS = 1_000;

/** Several processes that share one port. One that dies is replaced. */
export async function startWorkers(orders: WorkerOrders, log: Log): Promise<RunningProcess> {
  shareRateLimits(log);
  let isStopping = false;
  const start = (): Worker => {
    const worker = cluster.fork();
    worker.on('online', () => worker.send({ orders }));
    worker.on('message', (report: Partial<{ failed: string }>) => {
      if (report.failed !== undefined)
        log.error({ workerPid: worker.process.pid, reason: report.failed }, 'a worker process cannot start');
    });
    worker.on('exit', (code, signal) => {
      if (isStopping) return;
      log.error(
        { workerPid: worker.process.pid, code, signal },
        'a worker process ended; another is started',
      );
      setTimeout(() => isStopping || start(), RESTART_MS);
    });
    return worker;
  };
  const stop = async (): Promise<void> => {
    isStopping = true;
    const running = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(running.map(leave));
  };
  try {
    await Promise.all(Array.from({ length: orders.settings.workers }, () => ready(start())));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (report: WorkerReport | object) => {
      if ('ready' in report) resolve();
      if ('failed' in report) reject(new StartError(`A worker process cannot start: ${report.failed}`));
    });
    worker.on('exit', () => reject(new StartError('A worker process ended before it was ready.')));
  });
}

async function leave(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  if (worker.isConnected()) worker.send({ stop: true });
  await ended;
}
