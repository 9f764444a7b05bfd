import type { Settings } from '#platform/config/settings.ts';
import type { Log } from '#platform/observability/log.ts';
import { type FirstRun, firstRun } from './first-run.ts';
import type { OpenDatabase } from './open-database.ts';
import { type RunningProcess, startProcess } from './process.ts';
import { startWorkers } from './workers.ts';

interface StartedNode {
  /** On the very first start only. */
  readonly first: FirstRun | undefined;
  /** To be stopped in this order. */
  readonly running: readonly RunningProcess[];
}

/** All processes of a node: this one and, where several are to answer requests, those that it forks for that. */
export async function startNode(
  settings: Settings,
  database: OpenDatabase,
  log: Log,
  serves: boolean,
): Promise<StartedNode> {
  const { appUrl, instanceKey, dataDir } = database;
  const isAlone = settings.workers === 1;
  let first: FirstRun | undefined;
  const own = await startProcess({
    settings,
    appUrl,
    instanceKey,
    log,
    serves: serves && isAlone,
    housekeeping: settings.role === 'api' ? 'keysOnly' : 'all',
    prepare: async (platform) => {
      first = await firstRun(platform, dataDir);
    },
  });
  const running: RunningProcess[] = [own];
  if (serves && !isAlone) {
    const orders = { settings, appUrl, instanceKey: instanceKey.toString('base64') };
    const workers = await startWorkers(orders, log).catch(async (error) => {
      await own.stop();
      throw error;
    });
    running.unshift(workers);
  }
  return { first, running };
}
