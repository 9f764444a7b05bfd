import { openLog } from '#platform/observability/log.ts';
import { type RunningProcess, startProcess } from './process.ts';
import type { WorkerOrders, WorkerReport } from './workers.ts';

/** A process that the primary has forked: it waits for its orders, serves, and leaves when it is told to. */
export function runWorkerProcess(): void {
  let running: Promise<RunningProcess> | undefined;
  const leave = async (): Promise<void> => {
    await (await running?.catch(() => undefined))?.stop();
    process.exit(0);
  };
  // A signal to the whole group reaches workers as well; it is the primary that decides.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('disconnect', () => void leave());
  process.on('message', (message: { orders?: WorkerOrders; stop?: true }) => {
    if (message.orders !== undefined) {
      running = serve(message.orders);
      running.then(
        () => report({ ready: true }),
        (error: Error) => report({ failed: error.message }, () => process.exit(1)), // the primary starts another
      );
    }
    if (message.stop === true) void leave();
  });
}

function report(message: WorkerReport, sent: () => void = () => {}): void {
  process.send?.(message, undefined, undefined, sent);
}

function serve({ settings, appUrl, instanceKey }: WorkerOrders): Promise<RunningProcess> {
  const log = openLog(settings);
  const key = Buffer.from(instanceKey, 'base64');
  return startProcess({ settings, appUrl, instanceKey: key, log, serves: true, housekeeping: 'keysOnly' });
}
