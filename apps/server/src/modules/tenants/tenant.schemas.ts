import { type Static, Type } from 'typebox';
import { IdOf, NAME_LENGTH, Nullable, OneOf, Strict, Text, Timestamp, Uuid } from '#platform/http/schemas.ts';
import { KINDS, PLANS, STATUSES, type Tenant, TIERS } from './domain/tenant.ts';

export const TenantPath = Strict({ id: IdOf('tenant', 'The id of the workspace.') });

export const TenantName = Text(NAME_LENGTH, 'What people call the workspace.');

export const Subdomain = Type.String({
  pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
  minLength: 3,
  maxLength: 50,
  description: 'Lower-case letters, digits and single hyphens, beginning with a letter.',
});

export const TenantResource = Strict(
  {
    id: Uuid(),
    name: Type.String(),
    subdomain: Type.String(),
    kind: OneOf(KINDS),
    productionTenantId: Nullable(
      Uuid('For a testing workspace: the production workspace that it belongs to.'),
    ),
    status: OneOf(STATUSES),
    tier: OneOf(TIERS),
    subscription: Strict({
      plan: OneOf(PLANS),
      status: OneOf(['trialing', 'active', 'pastDue', 'cancelled'] as const),
      startedAt: Timestamp(),
      trialEndsAt: Nullable(Timestamp()),
      renewsAt: Nullable(Timestamp()),
    }),
    timeZone: Type.String({ description: 'An IANA time zone: it decides which day it is.' }),
    locale: Type.String(),
    version: Type.Integer(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Tenant' },
);

export const presentTenant = (tenant: Tenant): Static<typeof TenantResource> => ({
  id: tenant.id,
  name: tenant.name,
  subdomain: tenant.subdomain,
  kind: tenant.kind,
  productionTenantId: tenant.productionTenantId,
  status: tenant.status,
  tier: tenant.tier,
  subscription: {
    plan: tenant.plan,
    status: tenant.subscriptionStatus,
    startedAt: tenant.subscriptionStartedAt.toISOString(),
    trialEndsAt: tenant.trialEndsAt?.toISOString() ?? null,
    renewsAt: tenant.renewsAt?.toISOString() ?? null,
  },
  timeZone: tenant.timeZone,
  locale: tenant.locale,
  version: tenant.version,
  createdAt: tenant.createdAt.toISOString(),
  updatedAt: tenant.updatedAt.toISOString(),
});
