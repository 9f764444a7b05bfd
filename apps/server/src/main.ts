import cluster from 'node:cluster';
import { readSettings, type Settings } from '#platform/config/settings.ts';
import { type Log, openLog } from '#platform/observability/log.ts';
import { StartError } from '#platform/start-error.ts';
import { settleAddress } from './start/address.ts';
import { banner } from './start/banner.ts';
import { type FirstRun, firstRun } from './start/first-run.ts';
import { type RunningProcess, startProcess } from './start/node.ts';
import { type OpenDatabase, openDatabase, refuseSecondServer } from './start/open-database.ts';
import { runWorkerProcess } from './start/worker-process.ts';
import { startWorkers } from './start/workers.ts';

if (cluster.isWorker) runWorkerProcess();
else await main().catch(explain);

async function main(): Promise<void> {
  const serves = (settings: Settings): boolean => settings.role !== 'worker';
  const given = readSettings(process.env);
  const log = openLog(given);
  const stopping = onSignal();
  const settings = serves(given) ? await addressOrReason(given, log) : given;
  const database = await openDatabase(settings, log);
  const { first, running } = await start(settings, database, log, serves(settings)).catch(async (error) => {
    await database.stop();
    throw error;
  });
  console.log(banner(settings, database.dataDir, first));
  const reason = await Promise.race([stopping, database.lost]);
  if (reason instanceof StartError) log.fatal({ reason: reason.message }, 'stopping');
  else log.info({ signal: reason }, 'stopping');
  for (const each of running) await each.stop();
  await database.stop();
  log.info('stopped');
  if (reason instanceof StartError) throw reason;
}

async function addressOrReason(settings: Settings, log: Log): Promise<Settings> {
  try {
    return await settleAddress(settings);
  } catch (error) {
    await refuseSecondServer(settings, log);
    throw error;
  }
}

async function start(settings: Settings, database: OpenDatabase, log: Log, serves: boolean) {
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

/** The first signal begins an orderly stop; any further one changes nothing. */
function onSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal));
  });
}

/** A person can act on a StartError, so its line is enough; anything else is ours to find. */
function explain(error: unknown): void {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
