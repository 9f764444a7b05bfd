import type { Clock } from '#kernel/clock.ts';
import { AccessTokens } from './auth/access-token.ts';
import { ClientAccessCache } from './auth/client-access.ts';
import { InstanceKey } from './auth/instance-key.ts';
import { Issuer } from './auth/issuer.ts';
import { SigningKeys } from './auth/signing-keys.ts';
import type { Settings } from './config/settings.ts';
import { Database } from './db/database.ts';
import { Limits } from './http/limit.ts';
import { openRateLimiter } from './limits/open-rate-limiter.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import type { Log } from './observability/log.ts';
import { Metrics } from './observability/metrics.ts';

/** What modules are built from. main.ts makes one; tests make one per file. */
export interface Platform {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly db: Database;
  readonly instanceKey: InstanceKey;
  readonly keys: SigningKeys;
  readonly clients: ClientAccessCache;
  readonly tokens: AccessTokens;
  readonly issuer: Issuer;
  readonly limiter: RateLimiter;
  readonly limits: Limits;
  readonly metrics: Metrics;
}

interface PlatformOptions {
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly instanceKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Builds the parts and connects nothing: a platform can be made where there is no database, to describe its API. */
export function createPlatform({
  settings,
  databaseUrl,
  instanceKey: secret,
  clock,
  log,
}: PlatformOptions): Platform {
  const onError = (error: Error): void => log.error({ err: error }, 'background failure');
  const instanceKey = new InstanceKey(secret);
  const db = new Database({
    url: databaseUrl,
    poolSize: settings.poolSize,
    slowPoolSize: settings.slowPoolSize,
    lanes: settings.lanes,
    clock,
    onError,
  });
  const clients = new ClientAccessCache(db);
  const { tokenLifetimeSeconds, baseUrl } = settings;
  const keys = new SigningKeys(db, instanceKey, clock, {
    periodMs: 30 * DAY_MS,
    leadMs: 10 * 60 * 1000,
    tokenLifetimeMs: tokenLifetimeSeconds * 1000,
  });
  const tokens = new AccessTokens(keys, clock, baseUrl);
  const issuer = new Issuer({
    baseUrl,
    tokenLifetimeSeconds,
    clients,
    keys,
    instanceKey,
    db,
    clock,
    onError,
  });
  const limiter = openRateLimiter(settings, log);
  const limits = new Limits(limiter, settings);
  const metrics = new Metrics(db.pool);
  return { settings, clock, log, db, instanceKey, keys, clients, tokens, issuer, limiter, limits, metrics };
}
