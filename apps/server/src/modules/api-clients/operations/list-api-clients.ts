import { Type } from 'typebox';
import { ListQuery, ListReply, pageReply, readPage } from '#platform/http/list.ts';
import { defineRoute } from '#platform/http/route.ts';
import { OneOf, Text } from '#platform/http/schemas.ts';
import { ApiClientResource, presentApiClient } from '../api-client.schemas.ts';
import { listApiClients } from '../api-client.store.ts';

const sorting = {
  columns: { name: 'name', createdAt: 'created_at' },
  sortBy: 'name',
  sortDir: 'asc',
} as const;

export const listApiClientsRoute = defineRoute({
  method: 'GET',
  path: '/api/settings/api-clients',
  operationId: 'listApiClients',
  summary: 'API clients',
  description: '`q` searches name and client id.',
  area: 'Settings',
  permission: 'settings.read',
  query: ListQuery(sorting, {
    q: Type.Optional(Text(200)),
    status: Type.Optional(OneOf(['active', 'disabled'] as const)),
  }),
  response: ListReply(ApiClientResource),
  handle: async ({ db, query }) => {
    const page = readPage(query, sorting);
    return pageReply(await listApiClients(db, query, page), page, presentApiClient);
  },
});
