import { Type } from 'typebox';
import { found } from '#platform/http/common.problems.ts';
import { requireMatch } from '#platform/http/etag.ts';
import { defineRoute } from '#platform/http/route.ts';
import { OneOf, Strict } from '#platform/http/schemas.ts';
import { apiClientProblems } from '../api-client.problems.ts';
import {
  ApiClientName,
  ApiClientPath,
  ApiClientResource,
  presentApiClient,
  RoleIds,
} from '../api-client.schemas.ts';
import { type ApiClient, lockApiClient, updateApiClient } from '../api-client.store.ts';
import { requireMayGrant } from '../grant.ts';

export const updateApiClientRoute = defineRoute({
  method: 'PUT',
  path: '/api/settings/api-clients/{id}',
  operationId: 'updateApiClient',
  summary: 'Rename, restrict or disable an API client',
  description:
    'Fields that are absent stay as they are: an absent `roles` must not widen what a client may do.',
  area: 'Settings',
  permission: 'settings.write',
  params: ApiClientPath,
  body: Strict({
    name: Type.Optional(ApiClientName),
    roles: Type.Optional(RoleIds),
    status: Type.Optional(OneOf(['active', 'disabled'] as const)),
  }),
  example: { name: 'Web shop', status: 'active' },
  response: ApiClientResource,
  problems: [apiClientProblems['unknown-role'], apiClientProblems['beyond-own-permissions']],
  version: (client) => client.version,
  handle: async ({ tx, params, body, principal, ifMatch, now }) => {
    const client = found(await lockApiClient(tx, params.id), 'api_client', 'API client', params.id);
    requireMatch(ifMatch, client.version);
    const next: ApiClient = {
      ...client,
      name: body.name ?? client.name,
      roleIds: body.roles?.toSorted() ?? client.roleIds,
      status: body.status ?? client.status,
    };
    if (isSame(client, next)) return presentApiClient(client);
    await requireMayGrant(tx, principal, client.roleIds);
    await requireMayGrant(tx, principal, next.roleIds);
    return presentApiClient(await updateApiClient(tx, client, next, now));
  },
});

const isSame = (a: ApiClient, b: ApiClient): boolean =>
  a.name === b.name && a.status === b.status && a.roleIds.join() === b.roleIds.join();
