import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCluster } from '../apps/server/src/platform/postgres/cluster.ts';
import { type Subject, startBaseline, startServer } from './child.ts';
import type { Cleanup } from './cleanup.ts';

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Our server and the demo workspace in it. */
export interface Ours extends Subject {
  readonly client: Credentials;
  readonly tenantId: string;
  readonly accessToken: string;
}

export interface BareIssuer extends Subject {
  readonly client: Credentials;
}

/** Everything that a pair can compare. All of it stands ready; what is not asked costs nothing. */
export interface Stage {
  readonly ours: Ours;
  readonly bareFastify: Subject;
  readonly bareIssuer: BareIssuer;
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
  const ours = await startOurs(folder, cleanup);
  const bareFastify = await startBaseline('./bare-fastify.ts', {}, cleanup);
  const bareIssuer = await startBareIssuer(folder, cleanup);
  return { ours, bareFastify, bareIssuer };
}

async function startOurs(folder: string, cleanup: Cleanup): Promise<Ours> {
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
  const { tenantId, ...client } = first.demo;
  return { url: first.baseUrl, pid, client, tenantId, accessToken: await fetchToken(first.baseUrl, client) };
}

interface FirstRun {
  readonly baseUrl: string;
  readonly demo: Credentials & { readonly tenantId: string };
}

async function fetchToken(url: string, client: Credentials): Promise<string> {
  const reply = await fetch(`${url}/connect/token`, { method: 'POST', body: tokenForm(client) });
  if (!reply.ok) throw new Error(`no token: ${reply.status} ${await reply.text()}`);
  return ((await reply.json()) as { access_token: string }).access_token;
}

export const tokenForm = ({ clientId, clientSecret }: Credentials): URLSearchParams =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    scope: 'api',
    client_id: clientId,
    client_secret: clientSecret,
  });

/** Its PostgreSQL is one of its own with the settings of ours, so that neither disturbs the other. */
async function startBareIssuer(folder: string, cleanup: Cleanup): Promise<BareIssuer> {
  const superuserPassword = randomBytes(16).toString('hex');
  const opening = openCluster({ dataDir: join(folder, 'bare'), superuserPassword, log: () => {} });
  cleanup.add(async () => (await opening.catch(() => undefined))?.stop());
  const cluster = await opening;
  const databaseUrl = cluster.url('postgres', superuserPassword, 'postgres');
  const client = { clientId: 'bench', clientSecret: randomBytes(32).toString('base64url') };
  const subject = await startBaseline('./bare-issuer.ts', { databaseUrl, ...client }, cleanup);
  return { ...subject, client };
}
