import type { Refused } from '#kernel/decision.ts';

export const PLANS = ['trial', 'standard', 'enterprise'] as const;
export const TIERS = ['standard', 'enterprise'] as const;
export const STATUSES = ['active', 'suspended'] as const;
export const KINDS = ['production', 'testing'] as const;

export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly subdomain: string;
  readonly kind: (typeof KINDS)[number];
  readonly productionTenantId: string | null;
  readonly isPlatform: boolean;
  readonly status: (typeof STATUSES)[number];
  readonly tier: (typeof TIERS)[number];
  readonly plan: (typeof PLANS)[number];
  readonly subscriptionStatus: 'trialing' | 'active' | 'pastDue' | 'cancelled';
  readonly subscriptionStartedAt: Date;
  readonly trialEndsAt: Date | null;
  readonly renewsAt: Date | null;
  readonly timeZone: string;
  readonly locale: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NewTenant {
  readonly name: string;
  readonly subdomain: string;
  readonly plan: Tenant['plan'];
  readonly tier: Tenant['tier'];
  readonly isPlatform?: boolean;
}

const TRIAL_DAYS = 14;

/** A production tenant and its testing twin, which has its plan, tier and status and a row of its own. */
export function newTenantPair(
  asked: NewTenant,
  ids: { production: string; testing: string },
  now: Date,
): [Tenant, Tenant] {
  const isTrial = asked.plan === 'trial';
  const production: Tenant = {
    id: ids.production,
    name: asked.name,
    subdomain: asked.subdomain,
    kind: 'production',
    productionTenantId: null,
    isPlatform: asked.isPlatform ?? false,
    status: 'active',
    tier: asked.tier,
    plan: asked.plan,
    subscriptionStatus: isTrial ? 'trialing' : 'active',
    subscriptionStartedAt: now,
    trialEndsAt: isTrial ? afterDays(now, TRIAL_DAYS) : null,
    renewsAt: isTrial ? null : afterMonth(now),
    timeZone: 'UTC',
    locale: 'en',
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  const testing: Tenant = {
    ...production,
    id: ids.testing,
    name: `${asked.name} (testing)`,
    subdomain: `${asked.subdomain}${TESTING_SUFFIX}`,
    kind: 'testing',
    productionTenantId: production.id,
    isPlatform: false, // whoever tests in the twin of the platform tenant operates nothing
  };
  return [production, testing];
}

export interface TenantChange {
  readonly name?: string;
  readonly plan?: Tenant['plan'];
  readonly tier?: Tenant['tier'];
  readonly status?: Tenant['status'];
}

/** Fields that are absent stay as they are. Leaving the trial ends it. */
export function changeTenant(
  tenant: Tenant,
  change: TenantChange,
  now: Date,
): Tenant | Refused<'testing-twin' | 'platform-tenant'> {
  if (tenant.kind === 'testing') {
    return {
      refusal: 'testing-twin',
      detail: `${tenant.subdomain} follows its production tenant ${tenant.productionTenantId}; change that one.`,
    };
  }
  if (tenant.isPlatform && change.status === 'suspended') {
    return {
      refusal: 'platform-tenant',
      detail: 'The platform tenant cannot be suspended: nobody could undo it.',
    };
  }
  const next = { ...tenant, ...change };
  if (tenant.plan !== 'trial' || next.plan === 'trial') return { ...next, updatedAt: now };
  return {
    ...next,
    subscriptionStatus: 'active',
    trialEndsAt: null,
    renewsAt: afterMonth(now),
    updatedAt: now,
  };
}

/** What the twin takes over when its production tenant changes. */
export const followed = (twin: Tenant, production: Tenant): Tenant => ({
  ...twin,
  name: `${production.name} (testing)`,
  status: production.status,
  tier: production.tier,
  plan: production.plan,
  subscriptionStatus: production.subscriptionStatus,
  trialEndsAt: production.trialEndsAt,
  renewsAt: production.renewsAt,
  updatedAt: production.updatedAt,
});

export const isSameTenant = (a: Tenant, b: Tenant): boolean =>
  a.name === b.name && a.plan === b.plan && a.tier === b.tier && a.status === b.status;

const TESTING_SUFFIX = '-testing';
const RESERVED = new Set([
  'admin',
  'api',
  'app',
  'assets',
  'auth',
  'docs',
  'mail',
  'platform',
  'status',
  'support',
  'www',
]);

/** A DNS label, so that it can stand in a host name. The schema has checked its letters and length. */
export function checkSubdomain(subdomain: string): string | undefined {
  if (RESERVED.has(subdomain)) return `"${subdomain}" is reserved`;
  if (subdomain.endsWith(TESTING_SUFFIX))
    return `must not end in ${TESTING_SUFFIX}: that is the name of a testing twin`;
  return undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const afterDays = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);

function afterMonth(date: Date): Date {
  const next = new Date(date);
  next.setUTCMonth(next.getUTCMonth() + 1);
  if (next.getUTCDate() !== date.getUTCDate()) next.setUTCDate(0); // the 31st of a month that has 30 days
  return next;
}
