import { Type } from 'typebox';
import type { InstanceKey } from '#platform/auth/instance-key.ts';
import { invalid } from '#platform/http/common.problems.ts';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { NAME_LENGTH, OneOf, Strict, Text } from '#platform/http/schemas.ts';
import { checkSubdomain, PLANS, TIERS } from '../domain/tenant.ts';
import { provisionTenant } from '../provision.ts';
import { tenantProblems } from '../tenant.problems.ts';
import { presentTenant, Subdomain, TenantName, TenantResource } from '../tenant.schemas.ts';

const Credentials = Strict({
  clientId: Type.String(),
  clientSecret: Type.String({ description: 'Shown this once.' }),
});

export const createTenantRoute = (instanceKey: InstanceKey): Route =>
  defineRoute({
    method: 'POST',
    path: '/tenants',
    operationId: 'createTenant',
    summary: 'Create a workspace with its testing twin, first administrator and API clients',
    area: 'Tenants',
    access: 'operator',
    body: Strict({
      name: TenantName,
      subdomain: Subdomain,
      plan: Type.Optional(OneOf(PLANS, { description: 'standard unless given' })),
      tier: Type.Optional(OneOf(TIERS, { description: 'standard unless given' })),
      administrator: Strict({
        email: Type.String({ format: 'email', maxLength: 254 }),
        name: Text(NAME_LENGTH),
      }),
    }),
    example: { name: 'Acme', subdomain: 'acme', administrator: { email: 'ada@acme.example', name: 'Ada' } },
    response: Strict({
      tenant: TenantResource,
      testing: TenantResource,
      administrator: Strict({
        email: Type.String(),
        temporaryPassword: Type.String({ description: 'Shown this once.' }),
      }),
      client: Credentials,
      testingClient: Credentials,
    }),
    problems: [tenantProblems['subdomain-taken']],
    creates: (made) => `/tenants/${made.tenant.id}`,
    handle: async ({ across, body, now }) => {
      const wrong = checkSubdomain(body.subdomain);
      if (wrong !== undefined) throw invalid('/subdomain', wrong);
      const { plan = 'standard', tier = 'standard' } = body;
      const made = await provisionTenant(across, { ...body, plan, tier }, instanceKey, now);
      return {
        tenant: presentTenant(made.tenant),
        testing: presentTenant(made.testing),
        administrator: { email: body.administrator.email, temporaryPassword: made.temporaryPassword },
        client: made.client,
        testingClient: made.testingClient,
      };
    },
  });
