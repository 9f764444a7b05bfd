import { Type } from 'typebox';
import { ListQuery, ListReply, pageReply, readPage } from '#platform/http/list.ts';
import { defineRoute } from '#platform/http/route.ts';
import { OneOf, Text } from '#platform/http/schemas.ts';
import { KINDS, STATUSES, TIERS } from '../domain/tenant.ts';
import { presentTenant, TenantResource } from '../tenant.schemas.ts';
import { listTenants } from '../tenant.store.ts';

const sorting = {
  columns: { name: 'name', subdomain: 'subdomain', createdAt: 'created_at' },
  sortBy: 'name',
  sortDir: 'asc',
} as const;

export const listTenantsRoute = defineRoute({
  method: 'GET',
  path: '/tenants',
  operationId: 'listTenants',
  summary: 'Workspaces and their subscriptions',
  description: "The caller's own workspace; an operator sees all. `q` searches name and subdomain.",
  area: 'Tenants',
  permission: 'tenants.read',
  query: ListQuery(sorting, {
    q: Type.Optional(Text(200)),
    kind: Type.Optional(OneOf(KINDS)),
    status: Type.Optional(OneOf(STATUSES)),
    tier: Type.Optional(OneOf(TIERS)),
  }),
  response: ListReply(TenantResource),
  handle: async ({ db, query, principal, acrossTenants }) => {
    const page = readPage(query, sorting);
    const listed = principal.isOperator
      ? await acrossTenants('listTenants', (across) => listTenants(across, query, page))
      : await listTenants(db, query, page);
    return pageReply(listed, page, presentTenant);
  },
});
