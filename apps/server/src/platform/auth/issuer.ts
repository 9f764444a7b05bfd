import type { IncomingMessage, ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Clock } from '#kernel/clock.ts';
import { systemActor } from '#platform/db/actor.ts';
import { DatabaseUnavailable } from '#platform/db/connection.ts';
import type { Database } from '#platform/db/database.ts';
import { query } from '#platform/db/query.ts';
import type { ClientAccess, ClientAccessCache } from './client-access.ts';
import type { InstanceKey } from './instance-key.ts';
import { issuerAdapter } from './issuer-adapter.ts';
import type { SigningKeys } from './signing-keys.ts';

interface IssuerParts {
  readonly baseUrl: string;
  readonly tokenLifetimeSeconds: number;
  readonly clients: ClientAccessCache;
  readonly keys: SigningKeys;
  readonly instanceKey: InstanceKey;
  readonly db: Database;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const TOUCH_EVERY_MS = 60_000;

/** The token issuer. Its key store is fixed when it is built, so a change of keys builds a new one and swaps it in. */
export class Issuer {
  readonly #parts: IssuerParts;
  readonly #base: URL;
  readonly #touched = new Map<string, number>();
  #handler: Handler | undefined;

  constructor(parts: IssuerParts) {
    this.#parts = parts;
    this.#base = new URL(parts.baseUrl);
    parts.keys.onChange(() => {
      this.#handler = undefined;
    });
  }

  /** Rejects while the client cannot be looked up. Asked first, because the issuer itself would call that a fault of ours. */
  async knows(clientId: string): Promise<boolean> {
    return (await this.#parts.clients.find(clientId)) !== undefined;
  }

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // It writes addresses as the request's Host header has them; ours are fixed by the settings.
    request.headers.host = this.#base.host;
    request.headers['x-forwarded-proto'] = this.#base.protocol.slice(0, -1);
    delete request.headers['x-forwarded-host'];
    this.#handler ??= this.#build();
    return this.#handler(request, response);
  }

  #build(): Handler {
    const { baseUrl, tokenLifetimeSeconds, keys, clients } = this.#parts;
    const provider = new Provider(baseUrl, {
      adapter: issuerAdapter(clients),
      jwks: {
        keys: keys.published.map(({ id, privateJwk }) => ({
          ...privateJwk,
          kid: id,
          alg: 'ES256',
          use: 'sig',
        })),
      },
      routes: { token: '/connect/token', jwks: '/.well-known/jwks' },
      scopes: ['api'],
      responseTypes: [],
      clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
      clientDefaults: { id_token_signed_response_alg: 'ES256', grant_types: ['client_credentials'] },
      enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
      ttl: { ClientCredentials: tokenLifetimeSeconds },
      // Who accepts text/html would be sent a page that loads fonts from elsewhere.
      renderError: (ctx, error) => {
        ctx.type = 'json';
        ctx.body = error;
      },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        userinfo: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        pushedAuthorizationRequests: { enabled: false },
        dPoP: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => baseUrl,
          getResourceServerInfo: () => ({
            scope: 'api',
            audience: baseUrl,
            accessTokenTTL: tokenLifetimeSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256', kid: keys.current.id } },
          }),
        },
      },
      extraTokenClaims: async (_ctx, token) => {
        const access = await clients.find(token.clientId as string);
        return { tenant_id: access?.principal.tenantId };
      },
    });
    provider.proxy = true;
    provider.on('server_error', (ctx, error) => {
      this.#parts.onError(error);
      if (!(error instanceof DatabaseUnavailable)) return;
      ctx.status = 503;
      ctx.set('retry-after', '2');
      ctx.body = { error: 'temporarily_unavailable', error_description: 'the database cannot be reached' };
    });
    const { prototype } = provider.Client as unknown as { prototype: ClientPrototype };
    const compare = (clientId: string, secret: string): Promise<boolean> => this.#compare(clientId, secret);
    prototype.compareClientSecret = function compareClientSecret(secret: string) {
      return compare(this.clientId, secret);
    };
    return provider.callback() as Handler;
  }

  async #compare(clientId: string, secret: string): Promise<boolean> {
    const access = await this.#parts.clients.find(clientId);
    const now = this.#parts.clock.now();
    const match = access?.secrets
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
      .find(({ digest }) => this.#parts.instanceKey.matches(secret, digest));
    if (access === undefined || match === undefined) return false;
    this.#touch(access, match.id, now);
    return true;
  }

  /** When a secret was last used is for people to see; a write a minute is enough for that, and nobody waits for it. */
  #touch(access: ClientAccess, secretId: string, now: Date): void {
    if (now.getTime() - (this.#touched.get(secretId) ?? 0) < TOUCH_EVERY_MS) return;
    if (this.#touched.size > 10_000) this.#touched.clear();
    this.#touched.set(secretId, now.getTime());
    const { db, onError } = this.#parts;
    const update = query
      .updateTable('api_client_secret')
      .set({ last_used_at: now })
      .where('id', '=', secretId);
    db.inTenant(access.principal.tenantId, systemActor('touch-client-secret'), async (tx) =>
      tx.atCommit(update),
    ).catch(onError);
  }
}

interface ClientPrototype {
  clientId: string;
  compareClientSecret(secret: string): Promise<boolean>;
}
