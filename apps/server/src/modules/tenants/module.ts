import type { InstanceKey } from '#platform/auth/instance-key.ts';
import type { Module } from '#platform/http/module.ts';
import { createTenantRoute } from './operations/create-tenant.ts';
import { getTenantRoute } from './operations/get-tenant.ts';
import { listTenantsRoute } from './operations/list-tenants.ts';
import { updateTenantRoute } from './operations/update-tenant.ts';
import { tenantProblems } from './tenant.problems.ts';

export const tenantsModule = ({ instanceKey }: { readonly instanceKey: InstanceKey }): Module => ({
  name: 'tenants',
  problems: tenantProblems,
  routes: [listTenantsRoute, createTenantRoute(instanceKey), getTenantRoute, updateTenantRoute],
});
