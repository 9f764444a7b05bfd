import { found } from '#platform/http/common.problems.ts';
import { requireMatch } from '#platform/http/etag.ts';
import { defineRoute } from '#platform/http/route.ts';
import { apiClientProblems } from '../api-client.problems.ts';
import { ApiClientPath } from '../api-client.schemas.ts';
import { lockApiClient, revokeApiClient } from '../api-client.store.ts';
import { requireMayGrant } from '../grant.ts';

export const revokeApiClientRoute = defineRoute({
  method: 'DELETE',
  path: '/api/settings/api-clients/{id}',
  operationId: 'revokeApiClient',
  summary: 'Revoke an API client; its tokens stop working at once',
  area: 'Settings',
  permission: 'settings.write',
  params: ApiClientPath,
  problems: [apiClientProblems['beyond-own-permissions']],
  handle: async ({ tx, params, principal, ifMatch, now }) => {
    const client = found(await lockApiClient(tx, params.id), 'api_client', 'API client', params.id);
    requireMatch(ifMatch, client.version);
    await requireMayGrant(tx, principal, client.roleIds); // nobody shuts out those who may do more
    await revokeApiClient(tx, client, now);
  },
});
