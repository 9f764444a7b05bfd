import { type Selectable, sql } from 'kysely';
import type { AcrossTx } from '#platform/db/across-tx.ts';
import { isSqlError } from '#platform/db/connection.ts';
import { type Listed, listPage, type Page } from '#platform/db/page.ts';
import { containing, prepared, query } from '#platform/db/query.ts';
import type { DB } from '#platform/db/schema.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import type { Tenant } from './domain/tenant.ts';

type TenantRow = Selectable<DB['tenant']>;

const byId = prepared((arg: { id: string }) =>
  query.selectFrom('tenant').selectAll().where('id', '=', arg.id),
);

export async function findTenant(db: TenantReader | AcrossTx, id: string): Promise<Tenant | undefined> {
  const row = await db.first(byId({ id }));
  return row && tenantOf(row);
}

/** The tenant and its twin, both locked, in the order of their ids. */
export async function lockTenantPair(across: AcrossTx, id: string): Promise<Tenant[]> {
  const rows = await across.rows(
    query
      .selectFrom('tenant')
      .selectAll()
      .where((where) => where.or([where('id', '=', id), where('production_tenant_id', '=', id)]))
      .orderBy('id')
      .forUpdate(),
  );
  return rows.map(tenantOf);
}

export interface TenantFilter {
  readonly q?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly tier?: string;
}

/** All that the reader may see: an operator every tenant, a tenant itself. */
export const listTenants = (
  db: TenantReader | AcrossTx,
  filter: TenantFilter,
  page: Page,
): Promise<Listed<Tenant>> =>
  listPage(db.batch, matching(filter), (tenants) => tenants.selectAll(), page, tenantOf);

function matching(filter: TenantFilter) {
  let select = query.selectFrom('tenant');
  if (filter.kind !== undefined) select = select.where('kind', '=', filter.kind);
  if (filter.status !== undefined) select = select.where('status', '=', filter.status);
  if (filter.tier !== undefined) select = select.where('tier', '=', filter.tier);
  if (filter.q !== undefined) {
    const pattern = containing(filter.q);
    select = select.where(sql<boolean>`(name ilike ${pattern} or subdomain ilike ${pattern})`);
  }
  return select;
}

/** False when the subdomain is taken; the transaction is then good for nothing but to be rolled back. */
export async function insertTenant(across: AcrossTx, tenant: Tenant): Promise<boolean> {
  try {
    await across.write(query.insertInto('tenant').values(rowOf(tenant)));
    return true;
  } catch (error) {
    if (isSqlError(error) && error.constraint === 'tenant_subdomain_key') return false;
    throw error;
  }
}

export async function updateTenant(across: AcrossTx, tenant: Tenant): Promise<Tenant> {
  const { id, created_at: _, ...row } = rowOf({ ...tenant, version: tenant.version + 1 });
  await across.write(query.updateTable('tenant').set(row).where('id', '=', id));
  across.announce('access', `tenant:${id}`);
  return { ...tenant, version: tenant.version + 1 };
}

const rowOf = (tenant: Tenant) => ({
  id: tenant.id,
  name: tenant.name,
  subdomain: tenant.subdomain,
  kind: tenant.kind,
  production_tenant_id: tenant.productionTenantId,
  is_platform: tenant.isPlatform,
  status: tenant.status,
  tier: tenant.tier,
  plan: tenant.plan,
  subscription_status: tenant.subscriptionStatus,
  subscription_started_at: tenant.subscriptionStartedAt,
  trial_ends_at: tenant.trialEndsAt,
  renews_at: tenant.renewsAt,
  time_zone: tenant.timeZone,
  locale: tenant.locale,
  version: tenant.version,
  created_at: tenant.createdAt,
  updated_at: tenant.updatedAt,
});

const tenantOf = (row: TenantRow): Tenant => ({
  id: row.id,
  name: row.name,
  subdomain: row.subdomain,
  kind: row.kind as Tenant['kind'],
  productionTenantId: row.production_tenant_id,
  isPlatform: row.is_platform,
  status: row.status as Tenant['status'],
  tier: row.tier as Tenant['tier'],
  plan: row.plan as Tenant['plan'],
  subscriptionStatus: row.subscription_status as Tenant['subscriptionStatus'],
  subscriptionStartedAt: row.subscription_started_at,
  trialEndsAt: row.trial_ends_at,
  renewsAt: row.renews_at,
  timeZone: row.time_zone,
  locale: row.locale,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
