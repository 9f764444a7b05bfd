import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Settings } from '#platform/config/settings.ts';
import { shareRateLimits } from '#platform/limits/cluster-counter.ts';
import type { Log } from '#platform/observability/log.ts';
import type { RunningProcess } from './node.ts';

/** What a worker process needs to know; sent over its channel, where nobody else can read it. */
export interface WorkerOrders {
  readonly settings: Settings;
  readonly appUrl: string;
  readonly instanceKey: string;
}

const RESTART_MS = 1_000;

/** Several processes that share one port. One that dies is replaced. */
export async function startWorkers(orders: WorkerOrders, log: Log): Promise<RunningProcess> {
  shareRateLimits(log);
  let isStopping = false;
  const start = (): Worker => {
    const worker = cluster.fork();
    worker.on('online', () => worker.send({ orders }));
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
  await Promise.all(Array.from({ length: orders.settings.workers }, () => ready(start())));
  return {
    stop: async () => {
      isStopping = true;
      const running = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(
        running.map(async (worker) => {
          const ended = new Promise((resolve) => worker.once('exit', resolve));
          worker.send({ stop: true });
          await ended;
        }),
      );
    },
  };
}

async function ready(worker: Worker): Promise<void> {
  const [message] = (await once(worker, 'message')) as [{ failed?: string }];
  if (message.failed !== undefined) throw new Error(message.failed);
}
