import { baseUrl, networks, origins, postgresUrl, redisUrl, smtpUrl } from './address-kinds.ts';
import { filePath, hostName, type Kind, key32, oneOf, wholeNumber, yesOrNo } from './setting-kinds.ts';

export interface Setting {
  readonly name: string;
  readonly group: string;
  readonly kind: Kind<unknown>;
  /** As one would write it in the environment. Without it the setting may be missing. */
  readonly default?: string;
  /** Says what happens without a value, where no fixed default can. */
  readonly without?: string;
  readonly description: string;
  readonly secret?: true;
}

const perMinute = wholeNumber(1, 1_000_000);

/**
 * The single source of the configuration: the reader, its messages, `.env.example` and the README follow from it.
 * The key of a row is the field of `Settings`.
 */
export const settingsTable = {
  host: {
    name: 'TENANTRY_HOST',
    group: 'Network',
    kind: hostName,
    default: '127.0.0.1',
    description: 'Address to listen on. 0.0.0.0 makes the server reachable from other machines.',
  },
  port: {
    name: 'TENANTRY_PORT',
    group: 'Network',
    kind: wholeNumber(0, 65_535),
    default: '3000',
    description: 'Port to listen on. 0 takes any free one.',
  },
  baseUrl: {
    name: 'TENANTRY_BASE_URL',
    group: 'Network',
    kind: baseUrl,
    without: 'http://<host>:<port>',
    description: 'URL under which callers reach the server; it is also the issuer of the tokens.',
  },
  trustedProxies: {
    name: 'TENANTRY_TRUSTED_PROXIES',
    group: 'Network',
    kind: networks,
    without: 'none',
    description:
      'Proxies whose X-Forwarded-* headers are believed: addresses, networks, or loopback, linklocal, uniquelocal, separated by commas.',
  },
  corsOrigins: {
    name: 'TENANTRY_CORS_ORIGINS',
    group: 'Network',
    kind: origins,
    without: 'none',
    description: 'Origins whose pages may call the API from a browser, separated by commas.',
  },
  bodyLimitBytes: {
    name: 'TENANTRY_BODY_LIMIT_BYTES',
    group: 'Network',
    kind: wholeNumber(1024, 104_857_600),
    default: '1048576',
    description: 'Largest request body, in bytes. Migration batches have a limit of their own.',
  },
  dataDir: {
    name: 'TENANTRY_DATA_DIR',
    group: 'Storage',
    kind: filePath,
    default: './data',
    description: 'Folder of the embedded database and of the keys made at first start.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    group: 'Storage',
    kind: postgresUrl,
    without: 'the embedded PostgreSQL',
    description: 'A PostgreSQL of your own (15 or later), as the application role, which owns nothing.',
    secret: true,
  },
  ownerDatabaseUrl: {
    name: 'TENANTRY_OWNER_DATABASE_URL',
    group: 'Storage',
    kind: postgresUrl,
    without: 'no migrations are run',
    description: 'The same database as its owner, for migrations only. Needs DATABASE_URL.',
    secret: true,
  },
  poolSize: {
    name: 'TENANTRY_POOL_SIZE',
    group: 'Storage',
    kind: wholeNumber(1, 500),
    default: '6',
    description: 'Database connections for transactions, per process.',
  },
  slowPoolSize: {
    name: 'TENANTRY_SLOW_POOL_SIZE',
    group: 'Storage',
    kind: wholeNumber(1, 500),
    default: '4',
    description:
      'Database connections for searches, counts and other reads that may take their time, per process.',
  },
  lanes: {
    name: 'TENANTRY_LANES',
    group: 'Storage',
    kind: wholeNumber(1, 64),
    default: '4',
    description: 'Database connections shared by short reads, per process.',
  },
  redisUrl: {
    name: 'TENANTRY_REDIS_URL',
    group: 'Storage',
    kind: redisUrl,
    without: 'limits are kept per node',
    description: 'Redis in which several nodes share their rate limits.',
    secret: true,
  },
  secretKey: {
    name: 'TENANTRY_SECRET_KEY',
    group: 'Security',
    kind: key32,
    without: 'made at first start and kept in the data folder',
    description:
      'Key that encrypts stored secrets: 32 bytes as base64 or hexadecimal. All nodes need the same.',
    secret: true,
  },
  tokenLifetimeSeconds: {
    name: 'TENANTRY_TOKEN_LIFETIME_SECONDS',
    group: 'Security',
    kind: wholeNumber(60, 86_400),
    default: '3600',
    description: 'Seconds for which an access token is good.',
  },
  webhooksAllowPrivate: {
    name: 'TENANTRY_WEBHOOKS_ALLOW_PRIVATE',
    group: 'Security',
    kind: yesOrNo,
    without: 'true only for the demo on a loopback address',
    description: 'Whether webhooks may be sent to private and loopback addresses.',
  },
  smtpUrl: {
    name: 'TENANTRY_SMTP_URL',
    group: 'Mail',
    kind: smtpUrl,
    without: 'no mail is sent',
    description: 'Server through which mail is sent.',
    secret: true,
  },
  demo: {
    name: 'TENANTRY_DEMO',
    group: 'Processes',
    kind: yesOrNo,
    default: 'true',
    description: 'Whether a first start makes a demo workspace. Set false in production.',
  },
  role: {
    name: 'TENANTRY_ROLE',
    group: 'Processes',
    kind: oneOf('all', 'api', 'worker'),
    default: 'all',
    description: 'What this node does: api answers requests, worker does background work, all does both.',
  },
  workers: {
    name: 'TENANTRY_WORKERS',
    group: 'Processes',
    kind: wholeNumber(1, 64),
    default: '1',
    description: 'Processes that answer requests on this node.',
  },
  maxEventLoopDelayMs: {
    name: 'TENANTRY_MAX_EVENT_LOOP_DELAY_MS',
    group: 'Processes',
    kind: wholeNumber(0, 60_000),
    default: '1000',
    description:
      'A process that lags by more milliseconds than this answers 503 until it has caught up. 0 turns it off.',
  },
  shutdownGraceSeconds: {
    name: 'TENANTRY_SHUTDOWN_GRACE_SECONDS',
    group: 'Processes',
    kind: wholeNumber(0, 600),
    default: '20',
    description: 'Seconds that running requests and jobs get to finish when the server is stopped.',
  },
  logLevel: {
    name: 'TENANTRY_LOG_LEVEL',
    group: 'Logs',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    description: 'Least level that is logged: fatal, error, warn, info, debug, trace or silent.',
  },
  logFile: {
    name: 'TENANTRY_LOG_FILE',
    group: 'Logs',
    kind: filePath,
    without: 'standard output',
    description: 'File to log to.',
  },
  rateLimitStandard: {
    name: 'TENANTRY_RATE_LIMIT_STANDARD',
    group: 'Rate limits',
    kind: perMinute,
    default: '1000',
    description: 'Requests per minute of an API client of a standard tenant.',
  },
  rateLimitEnterprise: {
    name: 'TENANTRY_RATE_LIMIT_ENTERPRISE',
    group: 'Rate limits',
    kind: perMinute,
    default: '5000',
    description: 'Requests per minute of an API client of an enterprise tenant.',
  },
  rateLimitMigration: {
    name: 'TENANTRY_RATE_LIMIT_MIGRATION',
    group: 'Rate limits',
    kind: perMinute,
    default: '120',
    description: 'Requests per minute of a migration key.',
  },
  rateLimitToken: {
    name: 'TENANTRY_RATE_LIMIT_TOKEN',
    group: 'Rate limits',
    kind: perMinute,
    default: '120',
    description: 'Token requests per minute of a client and address.',
  },
  rateLimitPublic: {
    name: 'TENANTRY_RATE_LIMIT_PUBLIC',
    group: 'Rate limits',
    kind: perMinute,
    default: '60',
    description: 'Public writes (sign-in, sign-up, forms) per minute of an address.',
  },
  rateBurstPercent: {
    name: 'TENANTRY_RATE_BURST_PERCENT',
    group: 'Rate limits',
    kind: wholeNumber(0, 1000),
    default: '20',
    description: 'What is let through above each of these limits, in percent.',
  },
} as const satisfies Record<string, Setting>;

export type SettingsTable = typeof settingsTable;
