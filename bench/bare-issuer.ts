import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import pg from 'pg';

/**
 * oidc-provider on node:http and nothing around it: client credentials, ES256 JWTs, the client's row read from
 * PostgreSQL on each request. Its table is made here, since nobody else needs it.
 */
const input = JSON.parse(process.argv[2] ?? '{}') as {
  databaseUrl: string;
  clientId: string;
  clientSecret: string;
};

const pool = new pg.Pool({ connectionString: input.databaseUrl, max: 10 });
await pool.query('create table if not exists client (id text primary key, payload jsonb not null)');
await pool.query('insert into client values ($1, $2) on conflict do nothing', [
  input.clientId,
  {
    client_id: input.clientId,
    client_secret: input.clientSecret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope: 'api',
  },
]);

const nothing = async (): Promise<undefined> => {};
const kept = {
  upsert: nothing,
  findByUserCode: nothing,
  findByUid: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

const clients: Adapter = {
  ...kept,
  find: async (id): Promise<AdapterPayload | undefined> => {
    const { rows } = await pool.query<{ payload: AdapterPayload }>(
      'select payload from client where id = $1',
      [id],
    );
    return rows[0]?.payload;
  },
};
const nothingKept: Adapter = { ...kept, find: nothing };

const server = createServer();
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const provider = new Provider(url, {
  adapter: (model) => (model === 'Client' ? clients : nothingKept),
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' } as never] },
  routes: { token: '/connect/token' },
  scopes: ['api'],
  responseTypes: [],
  clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
  clientDefaults: { id_token_signed_response_alg: 'ES256', grant_types: ['client_credentials'] },
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  ttl: { ClientCredentials: 3600 },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => url,
      getResourceServerInfo: () => ({
        scope: 'api',
        audience: url,
        accessTokenTTL: 3600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
server.on('request', provider.callback());
process.send?.({ url });
process.on('disconnect', () => process.exit(0));
