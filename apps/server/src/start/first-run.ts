import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { provisionTenant } from '#modules/tenants/contract.ts';
import { createDurably } from '#platform/config/durable-file.ts';
import { systemActor } from '#platform/db/actor.ts';
import { advisoryLocks } from '#platform/db/advisory-locks.ts';
import { query } from '#platform/db/query.ts';
import type { Platform } from '#platform/platform.ts';
import { StartError } from '#platform/start-error.ts';

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What `first-run.json` holds: the only place where these secrets can be read. */
export interface FirstRun {
  readonly baseUrl: string;
  readonly operator: Credentials & { readonly email: string; readonly password: string };
  readonly demo?: Credentials & {
    readonly tenantId: string;
    readonly email: string;
    readonly password: string;
    readonly testing: Credentials & { readonly tenantId: string };
  };
}

const OPERATOR_EMAIL = 'operator@tenantry.example';
const DEMO_EMAIL = 'demo@tenantry.example';

/** Sets up an empty database once: the operators' workspace and, unless it is not wanted, a demo. */
export async function firstRun(platform: Platform, dataDir: string): Promise<FirstRun | undefined> {
  const path = join(dataDir, 'first-run.json');
  const pending = `${path}.pending`;
  const [instance] = await platform.db.platformRows(query.selectFrom('instance').select('key_proof'));
  const made = instance === undefined ? await setUp(platform, pending) : undefined;
  if (made !== undefined) {
    await publish(pending, path);
    return made;
  }
  await checkInstanceKey(platform);
  await settlePending(platform, pending, path);
  return undefined;
}

/** All in one transaction. The secrets are on the disk before it commits, or a crash in between would lose them. */
function setUp(platform: Platform, pending: string): Promise<FirstRun | undefined> {
  const { db, settings, instanceKey, clock } = platform;
  return db.acrossTenants('first start', systemActor('first-start'), async (across) => {
    await across.rows({ text: 'select pg_advisory_xact_lock($1)', values: [advisoryLocks.firstRun] });
    const [existing] = await across.rows(query.selectFrom('instance').select('platform_tenant_id'));
    if (existing !== undefined) return undefined;

    const now = clock.now();
    const platformTenant = await provisionTenant(
      across,
      {
        name: 'Platform',
        subdomain: 'platform',
        plan: 'enterprise',
        tier: 'enterprise',
        isPlatform: true,
        administrator: { email: OPERATOR_EMAIL, name: 'Operator' },
      },
      instanceKey,
      now,
    );
    await across.write(
      query
        .insertInto('instance')
        .values({ key_proof: instanceKey.proof, platform_tenant_id: platformTenant.tenant.id }),
    );
    const demo = settings.demo
      ? await provisionTenant(
          across,
          {
            name: 'Demo',
            subdomain: 'demo',
            plan: 'standard',
            tier: 'standard',
            administrator: { email: DEMO_EMAIL, name: 'Demo' },
          },
          instanceKey,
          now,
        )
      : undefined;
    const first: FirstRun = {
      baseUrl: settings.baseUrl,
      operator: {
        email: OPERATOR_EMAIL,
        password: platformTenant.temporaryPassword,
        ...platformTenant.client,
      },
      ...(demo && {
        demo: {
          tenantId: demo.tenant.id,
          email: DEMO_EMAIL,
          password: demo.temporaryPassword,
          ...demo.client,
          testing: { tenantId: demo.testing.id, ...demo.testingClient },
        },
      }),
    };
    await rm(pending, { force: true }); // of an attempt that did not commit: we hold the lock, so nobody else's
    await createDurably(pending, `${JSON.stringify(first, null, 2)}\n`);
    return first;
  });
}

async function checkInstanceKey({ db, instanceKey }: Platform): Promise<void> {
  const [instance] = await db.platformRows(query.selectFrom('instance').select('key_proof'));
  if (instance?.key_proof !== instanceKey.proof) {
    throw new StartError(
      'The instance key is not the one that this database was set up with. Give that one as TENANTRY_SECRET_KEY: ' +
        'unless it was chosen by hand, it is `instanceKey` in secrets.json of the node that was started first.',
    );
  }
}

/** A file left by a start that was killed: right after its commit it holds the true secrets, before it none. */
async function settlePending({ db }: Platform, pending: string, path: string): Promise<void> {
  const text = await readFile(pending, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const { operator } = JSON.parse(text) as FirstRun;
  const [known] = await db.platformRows({
    text: 'select from client_access($1)',
    values: [operator.clientId],
  });
  if (known === undefined) await rm(pending);
  else await publish(pending, path);
}

/** The directory may have served another database before, whose secrets are nowhere else: they are moved, not replaced. */
async function publish(pending: string, path: string): Promise<void> {
  await rename(path, `${path}.${Date.now()}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(pending, path);
}
