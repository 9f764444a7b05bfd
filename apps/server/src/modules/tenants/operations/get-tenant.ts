import { found } from '#platform/http/common.problems.ts';
import { defineRoute } from '#platform/http/route.ts';
import { presentTenant, TenantPath, TenantResource } from '../tenant.schemas.ts';
import { findTenant } from '../tenant.store.ts';

export const getTenantRoute = defineRoute({
  method: 'GET',
  path: '/tenants/{id}',
  operationId: 'getTenant',
  summary: 'One workspace with its subscription',
  description: 'A workspace sees itself; an operator sees any.',
  area: 'Tenants',
  permission: 'tenants.read',
  params: TenantPath,
  response: TenantResource,
  version: (tenant) => tenant.version,
  handle: async ({ db, params, principal, acrossTenants }) => {
    const tenant = principal.isOperator
      ? await acrossTenants('getTenant', (across) => findTenant(across, params.id))
      : await findTenant(db, params.id);
    return presentTenant(found(tenant, 'tenant', 'workspace', params.id));
  },
});
