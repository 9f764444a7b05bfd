import { Type } from 'typebox';
import { newClientSecret } from '#platform/auth/client-secret.ts';
import type { InstanceKey } from '#platform/auth/instance-key.ts';
import { found } from '#platform/http/common.problems.ts';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { Strict } from '#platform/http/schemas.ts';
import { apiClientProblems } from '../api-client.problems.ts';
import { ApiClientPath, ApiClientWithSecret, presentApiClient } from '../api-client.schemas.ts';
import { lockApiClient, rotateSecret } from '../api-client.store.ts';
import { planRotation } from '../domain/secrets.ts';
import { requireMayGrant } from '../grant.ts';

const DAY_SECONDS = 24 * 60 * 60;

export const rotateApiClientSecretRoute = (instanceKey: InstanceKey): Route =>
  defineRoute({
    method: 'POST',
    path: '/api/settings/api-clients/{id}/rotate-secret',
    operationId: 'rotateApiClientSecret',
    summary: 'A new secret beside the old, which then expires',
    description:
      'At most two secrets are live: the new one and, until the grace period ends, the newest of the old.',
    area: 'Settings',
    permission: 'settings.write',
    params: ApiClientPath,
    body: Type.Optional(
      Strict({
        graceSeconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 30 * DAY_SECONDS,
            description: 'How long the old secret stays good; a day unless given, 0 ends it at once.',
          }),
        ),
      }),
    ),
    example: { graceSeconds: DAY_SECONDS },
    response: ApiClientWithSecret,
    problems: [apiClientProblems['beyond-own-permissions']],
    version: (client) => client.version,
    handle: async ({ tx, params, body, principal, now }) => {
      const client = found(await lockApiClient(tx, params.id), 'api_client', 'API client', params.id);
      await requireMayGrant(tx, principal, client.roleIds);
      const { secret, digest, hint } = newClientSecret(instanceKey);
      const rotation = planRotation(client.secrets, now, body?.graceSeconds ?? DAY_SECONDS);
      const rotated = await rotateSecret(tx, client, rotation, { digest, hint }, now);
      return { ...presentApiClient(rotated), clientSecret: secret };
    },
  });
