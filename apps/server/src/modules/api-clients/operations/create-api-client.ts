import { Type } from 'typebox';
import { newClientId, newClientSecret } from '#platform/auth/client-secret.ts';
import type { InstanceKey } from '#platform/auth/instance-key.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { Strict } from '#platform/http/schemas.ts';
import { apiClientProblems } from '../api-client.problems.ts';
import { ApiClientName, ApiClientWithSecret, presentApiClient, RoleIds } from '../api-client.schemas.ts';
import { type ApiClient, insertApiClient } from '../api-client.store.ts';
import { requireMayGrant } from '../grant.ts';

interface NewApiClient {
  readonly name: string;
  readonly roles: readonly string[];
}

/** The secret is returned here and kept nowhere. */
export async function createApiClient(
  tx: TenantTx,
  asked: NewApiClient,
  instanceKey: InstanceKey,
  now: Date,
): Promise<{ client: ApiClient; clientSecret: string }> {
  const { secret, digest, hint } = newClientSecret(instanceKey);
  const clientId = newClientId();
  const client = await insertApiClient(
    tx,
    { clientId, name: asked.name, roleIds: asked.roles },
    { digest, hint },
    now,
  );
  return { client, clientSecret: secret };
}

export const createApiClientRoute = (instanceKey: InstanceKey): Route =>
  defineRoute({
    method: 'POST',
    path: '/api/settings/api-clients',
    operationId: 'createApiClient',
    summary: 'Create an API client; its secret is shown once',
    area: 'Settings',
    permission: 'settings.write',
    body: Strict({ name: ApiClientName, roles: Type.Optional(RoleIds) }),
    example: { name: 'Web shop' },
    response: ApiClientWithSecret,
    problems: [apiClientProblems['unknown-role'], apiClientProblems['beyond-own-permissions']],
    creates: (client) => `/api/settings/api-clients/${client.id}`,
    version: (client) => client.version,
    handle: async ({ tx, body, principal, now }) => {
      const roles = body.roles ?? [];
      await requireMayGrant(tx, principal, roles);
      const { client, clientSecret } = await createApiClient(
        tx,
        { name: body.name, roles },
        instanceKey,
        now,
      );
      return { ...presentApiClient(client), clientSecret };
    },
  });
