import { type Static, Type } from 'typebox';
import { IdOf, NAME_LENGTH, Nullable, OneOf, Strict, Text, Timestamp, Uuid } from '#platform/http/schemas.ts';
import type { ApiClient } from './api-client.store.ts';

export const ApiClientPath = Strict({ id: IdOf('api_client', 'The id of the API client.') });

export const ApiClientName = Text(NAME_LENGTH, 'What the client is for.');

export const RoleIds = Type.Array(Uuid(), {
  maxItems: 50,
  uniqueItems: true,
  description:
    'Ids of the roles whose permissions the client has; none means every permission of the workspace.',
});

const properties = {
  id: Uuid(),
  name: Type.String(),
  clientId: Type.String({ description: 'What the client sends as client_id.' }),
  roles: Type.Array(Uuid()),
  status: OneOf(['active', 'disabled'] as const),
  secrets: Type.Array(
    Strict({
      hint: Type.String({ description: 'The end of the secret, to tell it from another.' }),
      createdAt: Timestamp(),
      expiresAt: Nullable(Timestamp()),
      lastUsedAt: Nullable(Timestamp('Written at most once a minute.')),
    }),
  ),
  version: Type.Integer(),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
};

export const ApiClientResource = Strict(properties, { title: 'ApiClient' });

export const ApiClientWithSecret = Strict(
  {
    ...properties,
    clientSecret: Type.String({ description: 'Shown this once; only a digest of it is kept.' }),
  },
  { title: 'ApiClientWithSecret' },
);

export const presentApiClient = (client: ApiClient): Static<typeof ApiClientResource> => ({
  id: client.id,
  name: client.name,
  clientId: client.clientId,
  roles: [...client.roleIds],
  status: client.status,
  secrets: client.secrets.map(({ hint, createdAt, expiresAt, lastUsedAt }) => ({
    hint,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  })),
  version: client.version,
  createdAt: client.createdAt.toISOString(),
  updatedAt: client.updatedAt.toISOString(),
});
