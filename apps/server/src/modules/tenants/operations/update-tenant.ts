import { Type } from 'typebox';
import type { AcrossTx } from '#platform/db/across-tx.ts';
import { found } from '#platform/http/common.problems.ts';
import { requireMatch } from '#platform/http/etag.ts';
import { settle } from '#platform/http/problem.ts';
import { defineRoute } from '#platform/http/route.ts';
import { OneOf, Strict } from '#platform/http/schemas.ts';
import {
  changeTenant,
  followed,
  isSameTenant,
  PLANS,
  STATUSES,
  type Tenant,
  TIERS,
} from '../domain/tenant.ts';
import { tenantProblems } from '../tenant.problems.ts';
import { presentTenant, TenantName, TenantPath, TenantResource } from '../tenant.schemas.ts';
import { lockTenantPair, updateTenant } from '../tenant.store.ts';

/** Saves the tenant and lets its twin follow: both change, or none. */
async function saveBoth(
  across: AcrossTx,
  before: Tenant,
  next: Tenant,
  twin: Tenant | undefined,
): Promise<Tenant> {
  const saved = await updateTenant(across, next);
  if (twin !== undefined) await updateTenant(across, followed(twin, next));
  across.audit({
    action: 'tenant.updated',
    resourceType: 'tenant',
    resourceId: saved.id,
    before: presentTenant(before),
    after: presentTenant(saved),
  });
  return saved;
}

export const updateTenantRoute = defineRoute({
  method: 'PUT',
  path: '/tenants/{id}',
  operationId: 'updateTenant',
  summary: 'Change name, plan, tier or status of a workspace',
  description: 'Fields that are absent stay as they are. The testing twin follows.',
  area: 'Tenants',
  access: 'operator',
  params: TenantPath,
  body: Strict({
    name: Type.Optional(TenantName),
    plan: Type.Optional(OneOf(PLANS)),
    tier: Type.Optional(OneOf(TIERS)),
    status: Type.Optional(OneOf(STATUSES)),
  }),
  example: { plan: 'enterprise', tier: 'enterprise', status: 'active' },
  response: TenantResource,
  problems: [tenantProblems['testing-twin'], tenantProblems['platform-tenant']],
  version: (tenant) => tenant.version,
  handle: async ({ across, params, body, ifMatch, now }) => {
    const pair = await lockTenantPair(across, params.id);
    const tenant = found(
      pair.find(({ id }) => id === params.id.toLowerCase()),
      'tenant',
      'workspace',
      params.id,
    );
    requireMatch(ifMatch, tenant.version);
    const next = settle(changeTenant(tenant, body, now), tenantProblems);
    if (isSameTenant(tenant, next)) return presentTenant(tenant);
    const twin = pair.find(({ productionTenantId }) => productionTenantId === tenant.id);
    return presentTenant(await saveBoth(across, tenant, next, twin));
  },
});
