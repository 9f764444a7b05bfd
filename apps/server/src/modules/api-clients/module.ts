import type { InstanceKey } from '#platform/auth/instance-key.ts';
import type { Module } from '#platform/http/module.ts';
import { apiClientProblems } from './api-client.problems.ts';
import { createApiClientRoute } from './operations/create-api-client.ts';
import { getApiClientRoute } from './operations/get-api-client.ts';
import { listApiClientsRoute } from './operations/list-api-clients.ts';
import { revokeApiClientRoute } from './operations/revoke-api-client.ts';
import { rotateApiClientSecretRoute } from './operations/rotate-api-client-secret.ts';
import { updateApiClientRoute } from './operations/update-api-client.ts';

export const apiClientsModule = ({ instanceKey }: { readonly instanceKey: InstanceKey }): Module => ({
  name: 'api-clients',
  problems: apiClientProblems,
  routes: [
    listApiClientsRoute,
    createApiClientRoute(instanceKey),
    getApiClientRoute,
    updateApiClientRoute,
    revokeApiClientRoute,
    rotateApiClientSecretRoute(instanceKey),
  ],
});
