import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { readSettings, type Settings } from '#platform/config/settings.ts';
import { openLog } from '#platform/observability/log.ts';
import { createPlatform, type Platform } from '#platform/platform.ts';
import { createServer, describeApi } from '../src/server.ts';
import { fetchToken, TestClient } from './client.ts';
import { TestClock } from './clock.ts';
import {
  asSuperuser,
  databaseUrl,
  TEMPLATE,
  TEST_BASE_URL,
  TEST_CLUSTER_VARIABLE,
  TEST_KEY,
  type TestCluster,
} from './template.ts';

interface TestTenant {
  readonly id: string;
  readonly testingId: string;
  readonly subdomain: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly testingClientId: string;
  readonly testingClientSecret: string;
  /** Signed in as its first API client, which may do everything in it. */
  readonly client: TestClient;
}

export interface TestApi {
  readonly origin: string;
  readonly platform: Platform;
  readonly routes: ReturnType<typeof describeApi>['routes'];
  readonly clock: TestClock;
  readonly cluster: TestCluster;
  readonly databaseName: string;
  /** Nobody: requests without a token. */
  readonly anonymous: TestClient;
  operator(): Promise<TestClient>;
  newTenant(options?: { tier?: 'standard' | 'enterprise' }): Promise<TestTenant>;
  /** Signs in with any credentials. */
  signIn(clientId: string, clientSecret: string, scope?: string): Promise<TestClient>;
  /** Another node on the same database, with caches and connections of its own. */
  secondNode(): Promise<{ readonly origin: string; readonly platform: Platform }>;
}

export function testCluster(): TestCluster {
  const description = process.env[TEST_CLUSTER_VARIABLE];
  if (description === undefined)
    throw new Error('Run tests by `npm test`, which starts the database that they need.');
  return JSON.parse(description) as TestCluster;
}

/** A database of one's own: a clone of the template, dropped after the file's tests. */
export async function cloneDatabase(cluster: TestCluster): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asSuperuser(cluster, (client) =>
    client.query(`create database ${name} template ${TEMPLATE} owner tenantry_owner`),
  );
  after(() => asSuperuser(cluster, (client) => client.query(`drop database ${name} with (force)`)));
  return name;
}

/** The whole API on a database of its own, listening on a free port; closed after the file's tests. */
export async function openTestApi(overrides: Partial<Settings> = {}): Promise<TestApi> {
  const cluster = testCluster();
  const databaseName = await cloneDatabase(cluster);
  const clock = new TestClock();
  const startNode = () =>
    listen({ ...testSettings(), ...overrides }, databaseUrl(cluster.appUrl, databaseName), clock);
  const { origin, platform } = await startNode();

  const signIn = async (clientId: string, clientSecret: string, scope?: string): Promise<TestClient> =>
    new TestClient(origin, await fetchToken(origin, clientId, clientSecret, scope));
  const operator = (): Promise<TestClient> =>
    signIn(cluster.operator.clientId, cluster.operator.clientSecret);

  return {
    origin,
    platform,
    routes: describeApi(platform).routes,
    clock,
    cluster,
    databaseName,
    anonymous: new TestClient(origin),
    operator,
    signIn,
    secondNode: startNode,
    newTenant: async ({ tier = 'standard' } = {}) => {
      const subdomain = `t${randomBytes(5).toString('hex')}`;
      const administrator = { email: `owner@${subdomain}.example`, name: 'Owner' };
      const { body } = await (await operator()).post('/tenants', {
        name: subdomain,
        subdomain,
        tier,
        administrator,
      });
      return {
        id: body.tenant.id,
        testingId: body.testing.id,
        subdomain,
        clientId: body.client.clientId,
        clientSecret: body.client.clientSecret,
        testingClientId: body.testingClient.clientId,
        testingClientSecret: body.testingClient.clientSecret,
        client: await signIn(body.client.clientId, body.client.clientSecret),
      };
    },
  };
}

const testSettings = (): Settings =>
  readSettings({
    TENANTRY_BASE_URL: TEST_BASE_URL,
    TENANTRY_LOG_LEVEL: 'fatal',
    TENANTRY_RATE_LIMIT_TOKEN: '100000',
    TENANTRY_RATE_LIMIT_STANDARD: '100000',
    TENANTRY_RATE_LIMIT_ENTERPRISE: '100000',
    TENANTRY_RATE_LIMIT_PUBLIC: '100000',
    TENANTRY_MAX_EVENT_LOOP_DELAY_MS: '0', // a busy test machine is no reason to refuse
  });

async function listen(
  settings: Settings,
  databaseUrl: string,
  clock: TestClock,
): Promise<{ origin: string; platform: Platform }> {
  const platform = createPlatform({
    settings,
    databaseUrl,
    instanceKey: TEST_KEY,
    clock,
    log: openLog(settings),
  });
  await platform.db.announcements.listen();
  await platform.keys.reload();
  const app = await createServer(platform);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  after(async () => {
    await app.close();
    await platform.db.close();
    await platform.limiter.close();
  });
  return { origin, platform };
}
