import { keepSecrets, prepareDataDirectory } from '#platform/config/data-directory.ts';
import type { Settings } from '#platform/config/settings.ts';
import { checkApplicationRole, checkSchema, migrate } from '#platform/db/migrate.ts';
import type { Log } from '#platform/observability/log.ts';
import { isClusterRunning } from '#platform/postgres/cluster.ts';
import type { StartError } from '#platform/start-error.ts';
import { EmbeddedDatabase } from './embedded-database.ts';
import { createRolesAndDatabase } from './embedded-roles.ts';

/** A database that is there, up to date and safe to serve from. */
export interface OpenDatabase {
  readonly dataDir: string;
  readonly appUrl: string;
  readonly instanceKey: Buffer;
  /** Resolves with the reason when this server can never use it again. */
  readonly lost: Promise<StartError>;
  /** Stops it if it is ours. */
  stop(): Promise<void>;
}

export async function openDatabase(settings: Settings, log: Log): Promise<OpenDatabase> {
  const dataDir = await prepareDataDirectory(settings.dataDir);
  if (settings.databaseUrl === undefined) return openEmbedded(dataDir, settings, log);
  const { instanceKey } = await keepSecrets(dataDir, settings.secretKey);
  await bringUpToDate(settings.databaseUrl, settings.ownerDatabaseUrl);
  return {
    dataDir,
    appUrl: settings.databaseUrl,
    instanceKey,
    lost: new Promise(() => {}),
    stop: async () => {},
  };
}

/**
 * Asked when the port is in use, since it is most often by a server on the same data directory: then that is what a
 * person should be told, rather than to try another port and be refused again.
 */
export async function refuseSecondServer(settings: Settings, log: Log): Promise<void> {
  if (settings.databaseUrl !== undefined || !(await isClusterRunning(settings.dataDir))) return;
  const database = await openDatabase(settings, log);
  await database.stop();
}

async function openEmbedded(dataDir: string, settings: Settings, log: Log): Promise<OpenDatabase> {
  const secrets = await keepSecrets(dataDir, settings.secretKey);
  const { superuserPassword, ownerPassword, appPassword, instanceKey } = secrets;
  const database = await EmbeddedDatabase.open({ dataDir, superuserPassword, log });
  try {
    await createRolesAndDatabase(database.url('postgres', superuserPassword, 'postgres'), secrets);
    const appUrl = database.url('tenantry_app', appPassword, 'tenantry');
    await bringUpToDate(appUrl, database.url('tenantry_owner', ownerPassword, 'tenantry'));
    return { dataDir, appUrl, instanceKey, lost: database.taken, stop: () => database.stop() };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function bringUpToDate(appUrl: string, ownerUrl: string | undefined): Promise<void> {
  if (ownerUrl === undefined) await checkSchema(appUrl);
  else await migrate(ownerUrl);
  await checkApplicationRole(appUrl);
}
