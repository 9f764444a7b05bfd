import cluster from 'node:cluster';
import { readSettings, type Settings } from '#platform/config/settings.ts';
import { type Log, openLog } from '#platform/observability/log.ts';
import { StartError } from '#platform/start-error.ts';
import { settleAddress } from './start/address.ts';
import { banner } from './start/banner.ts';
import { openDatabase, refuseSecondServer } from './start/open-database.ts';

// The bulk of the program is loaded when the settings and the database are found good, so that a refusal comes at once.
if (cluster.isWorker) (await import('./start/worker-process.ts')).runWorkerProcess();
else await main().catch(explain);

async function main(): Promise<void> {
  const serves = (settings: Settings): boolean => settings.role !== 'worker';
  const given = readSettings(process.env);
  const log = openLog(given);
  const stopping = onSignal();
  const settings = serves(given) ? await addressOrReason(given, log) : given;
  const database = await openDatabase(settings, log);
  const { startNode } = await import('./start/start-node.ts');
  const { first, running } = await startNode(settings, database, log, serves(settings)).catch(
    async (error) => {
      await database.stop();
      throw error;
    },
  );
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
