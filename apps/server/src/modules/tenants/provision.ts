import { newId } from '#kernel/ids.ts';
import { createApiClient } from '#modules/api-clients/contract.ts';
import { insertBuiltInRoles, provisionAdministrator } from '#modules/identity/contract.ts';
import type { InstanceKey } from '#platform/auth/instance-key.ts';
import type { AcrossTx } from '#platform/db/across-tx.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { Problem } from '#platform/http/problem.ts';
import { type NewTenant, newTenantPair, type Tenant } from './domain/tenant.ts';
import { tenantProblems } from './tenant.problems.ts';
import { presentTenant } from './tenant.schemas.ts';
import { insertTenant } from './tenant.store.ts';

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface ProvisionedTenant {
  readonly tenant: Tenant;
  readonly testing: Tenant;
  readonly temporaryPassword: string;
  readonly client: Credentials;
  readonly testingClient: Credentials;
}

/** A workspace that can be worked in at once: the pair of tenants, their roles, an administrator and API clients. */
export async function provisionTenant(
  across: AcrossTx,
  asked: NewTenant & { readonly administrator: { readonly email: string; readonly name: string } },
  instanceKey: InstanceKey,
  now: Date,
): Promise<ProvisionedTenant> {
  const [tenant, testing] = newTenantPair(asked, { production: newId(), testing: newId() }, now);
  for (const each of [tenant, testing]) {
    if (!(await insertTenant(across, each))) {
      throw new Problem(tenantProblems['subdomain-taken'], {
        detail: `The subdomain ${each.subdomain} is taken.`,
      });
    }
    across.audit({
      action: 'tenant.created',
      resourceType: 'tenant',
      resourceId: each.id,
      after: presentTenant(each),
    });
  }
  const firstClient = async (tx: TenantTx): Promise<Credentials> => {
    const { client, clientSecret } = await createApiClient(
      tx,
      { name: 'First API client', roles: [] },
      instanceKey,
      now,
    );
    return { clientId: client.clientId, clientSecret };
  };
  const own = await across.asTenant(tenant.id, async (tx) => {
    const roles = await insertBuiltInRoles(tx, now);
    const temporaryPassword = await provisionAdministrator(tx, asked.administrator, roles, now);
    return { temporaryPassword, client: await firstClient(tx) };
  });
  const testingClient = await across.asTenant(testing.id, async (tx) => {
    await insertBuiltInRoles(tx, now);
    return firstClient(tx);
  });
  return { tenant, testing, ...own, testingClient };
}
