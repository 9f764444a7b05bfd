import type pg from 'pg';
import { keepSecrets, prepareDataDirectory } from '#platform/config/data-directory.ts';
import type { Settings } from '#platform/config/settings.ts';
import { checkApplicationRole, checkSchema, migrate } from '#platform/db/migrate.ts';
import { type Cluster, openCluster } from '#platform/postgres/cluster.ts';
import { claimDataDirectory } from './claim.ts';
import { createRolesAndDatabase } from './embedded-roles.ts';

/** A database that is there, up to date and safe to serve from. */
export interface OpenDatabase {
  readonly dataDir: string;
  readonly appUrl: string;
  readonly instanceKey: Buffer;
  /** Stops it if it is ours. */
  stop(): Promise<void>;
}

export async function openDatabase(settings: Settings, log: (line: string) => void): Promise<OpenDatabase> {
  const dataDir = await prepareDataDirectory(settings.dataDir);
  if (settings.databaseUrl === undefined) return openEmbedded(dataDir, settings, log);
  const { instanceKey } = await keepSecrets(dataDir, settings.secretKey);
  await bringUpToDate(settings.databaseUrl, settings.ownerDatabaseUrl);
  return { dataDir, appUrl: settings.databaseUrl, instanceKey, stop: async () => {} };
}

async function openEmbedded(
  dataDir: string,
  settings: Settings,
  log: (line: string) => void,
): Promise<OpenDatabase> {
  const secrets = await keepSecrets(dataDir, settings.secretKey);
  const cluster: Cluster = await openCluster({ dataDir, superuserPassword: secrets.superuserPassword, log });
  let claim: pg.Client | undefined;
  const stop = async (): Promise<void> => {
    await claim?.end().catch(() => {});
    await cluster.stop();
  };
  try {
    const superuserUrl = cluster.url('postgres', secrets.superuserPassword, 'postgres');
    claim = await claimDataDirectory(superuserUrl, dataDir);
    await createRolesAndDatabase(superuserUrl, secrets);
    const appUrl = cluster.url('tenantry_app', secrets.appPassword, 'tenantry');
    await bringUpToDate(appUrl, cluster.url('tenantry_owner', secrets.ownerPassword, 'tenantry'));
    return { dataDir, appUrl, instanceKey: secrets.instanceKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function bringUpToDate(appUrl: string, ownerUrl: string | undefined): Promise<void> {
  if (ownerUrl === undefined) await checkSchema(appUrl);
  else await migrate(ownerUrl);
  await checkApplicationRole(appUrl);
}
