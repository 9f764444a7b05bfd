import { found } from '#platform/http/common.problems.ts';
import { defineRoute } from '#platform/http/route.ts';
import { ApiClientPath, ApiClientResource, presentApiClient } from '../api-client.schemas.ts';
import { findApiClient } from '../api-client.store.ts';

export const getApiClientRoute = defineRoute({
  method: 'GET',
  path: '/api/settings/api-clients/{id}',
  operationId: 'getApiClient',
  summary: 'One API client',
  area: 'Settings',
  permission: 'settings.read',
  params: ApiClientPath,
  response: ApiClientResource,
  version: (client) => client.version,
  handle: async ({ db, params }) => {
    const client = found(await findApiClient(db, params.id), 'api_client', 'API client', params.id);
    return presentApiClient(client);
  },
});
