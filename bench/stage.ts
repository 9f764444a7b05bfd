import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId } from '../apps/server/src/kernel/ids.ts';
import { settingsTable } from '../apps/server/src/platform/config/settings-table.ts';
import { migrate } from '../apps/server/src/platform/db/migrate.ts';
import { Catalog } from './catalog.ts';
import { type Subject, startBaseline, startServer } from './child.ts';
import type { Cleanup } from './cleanup.ts';
import { type BenchDatabase, openBenchDatabase } from './database.ts';
import { type Credentials, fetchToken } from './token.ts';

/** Our server and the demo workspace in it. */
export interface Ours extends Subject {
  readonly client: Credentials;
  readonly tenantId: string;
  readonly accessToken: string;
  readonly database: BenchDatabase;
}

interface BareIssuer extends Subject {
  readonly client: Credentials;
}

interface BareCreate extends Subject {
  readonly tenantId: string;
  readonly database: BenchDatabase;
}

/** Everything that can be compared. All of it stands ready; what is not asked costs nothing. */
export interface Stage {
  readonly ours: Ours;
  readonly catalog: Catalog;
  readonly bareFastify: Subject;
  readonly bareIssuer: BareIssuer;
  readonly bareCreate: BareCreate;
}

/** As shipped, but for the rate limits (at the most that the settings allow) and a log that goes to a file. */
const RAISED = Object.fromEntries(
  ['STANDARD', 'ENTERPRISE', 'TOKEN', 'PUBLIC'].map((kind) => [`TENANTRY_RATE_LIMIT_${kind}`, '1000000']),
);
const SERVER = fileURLToPath(new URL('../apps/server/start.js', import.meta.url));

export async function setStage(cleanup: Cleanup): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'tenantry-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  // Under root the databases run as another user, who has to get through.
  await chmod(folder, 0o711);
  const { ours, operator } = await startOurs(folder, cleanup);
  // Of its own and with the settings of ours, so that neither disturbs the other.
  const bareDatabase = await openBenchDatabase(join(folder, 'bare'), cleanup);
  return {
    ours,
    catalog: new Catalog(ours.url, operator, ours.database),
    bareFastify: await startBaseline('./bare-fastify.ts', {}, cleanup),
    bareIssuer: await startBareIssuer(bareDatabase, cleanup),
    bareCreate: await startBareCreate(bareDatabase, cleanup),
  };
}

async function startOurs(folder: string, cleanup: Cleanup): Promise<{ ours: Ours; operator: Credentials }> {
  const database = await openBenchDatabase(join(folder, 'ours-database'), cleanup);
  const dataDir = join(folder, 'ours');
  await mkdir(dataDir);
  // Settings of the caller's shell would not be those that are shipped.
  const own = Object.entries(process.env).filter(([name]) => !/^(TENANTRY_|DATABASE_URL$)/.test(name));
  const pid = await startServer(
    {
      file: SERVER,
      cwd: folder,
      environment: {
        ...(Object.fromEntries(own) as Record<string, string>),
        ...RAISED,
        DATABASE_URL: database.appUrl,
        TENANTRY_OWNER_DATABASE_URL: database.ownerUrl,
        TENANTRY_DATA_DIR: dataDir,
        TENANTRY_PORT: '0',
        TENANTRY_WORKERS: '1',
        TENANTRY_LOG_FILE: join(folder, 'ours.log'),
      },
      sign: 'is running',
    },
    cleanup,
  );
  const first = JSON.parse(await readFile(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun;
  const { baseUrl: url, demo, operator } = first;
  const { tenantId, ...client } = demo;
  const accessToken = await fetchToken(url, client);
  return { ours: { url, pid, client, tenantId, accessToken, database }, operator };
}

interface FirstRun {
  readonly baseUrl: string;
  readonly operator: Credentials;
  readonly demo: Credentials & { readonly tenantId: string };
}

async function startBareIssuer(database: BenchDatabase, cleanup: Cleanup): Promise<BareIssuer> {
  const client = { clientId: 'bench', clientSecret: randomBytes(32).toString('base64url') };
  const input = { databaseUrl: database.superuserUrl('postgres'), ...client };
  return { ...(await startBaseline('./bare-issuer.ts', input, cleanup)), client };
}

async function startBareCreate(database: BenchDatabase, cleanup: Cleanup): Promise<BareCreate> {
  await migrate(database.ownerUrl);
  const tenantId = newId();
  const poolSize = Number(settingsTable.poolSize.default);
  const input = { databaseUrl: database.appUrl, tenantId, poolSize };
  return { ...(await startBaseline('./bare-create.ts', input, cleanup)), tenantId, database };
}
