import { isIPv4, isIPv6 } from 'node:net';
import { StartError } from '#platform/start-error.ts';
import { nearestName } from './nearest-name.ts';
import type { Kind } from './setting-kinds.ts';
import { type Setting, type SettingsTable, settingsTable } from './settings-table.ts';

type ValueOf<Row> = Row extends { readonly kind: Kind<infer Value> }
  ? Row extends { readonly default: string }
    ? Value
    : Value | undefined
  : never;

type Given = { readonly [Field in keyof SettingsTable]: ValueOf<SettingsTable[Field]> };

/** These have no fixed default, yet always a value. */
type Settled = 'baseUrl' | 'webhooksAllowPrivate' | 'trustedProxies' | 'corsOrigins';

export type Settings = {
  readonly [Field in keyof Given]: Field extends Settled ? NonNullable<Given[Field]> : Given[Field];
};

type Environment = Readonly<Record<string, string | undefined>>;

const rows: readonly (readonly [string, Setting])[] = Object.entries(settingsTable);

/** Looks at everything before it complains, so that a person mends a configuration in one round. */
export function readSettings(env: Environment): Settings {
  const mistakes: string[] = [];
  const fields: Record<string, unknown> = {};
  for (const [field, setting] of rows) {
    // An empty value counts as none: compose files and shells write it for a variable that is not set.
    const text = env[setting.name]?.trim() || setting.default;
    const value = text === undefined ? undefined : setting.kind.read(text);
    if (text !== undefined && value === undefined) mistakes.push(wrongValue(setting, text));
    fields[field] = value;
  }
  // Sound because the loop fills a field per row of the table from which Given is derived; mistakes end below.
  const given = fields as unknown as Given;
  if (env.TENANTRY_OWNER_DATABASE_URL?.trim() && !env.DATABASE_URL?.trim()) {
    mistakes.push('TENANTRY_OWNER_DATABASE_URL is set without DATABASE_URL. Set both, or none of them.');
  }
  mistakes.push(...unknownNames(env));
  if (mistakes.length > 0) {
    throw new StartError(
      `The configuration is wrong:\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}`,
    );
  }
  return settle(given);
}

function settle(given: Given): Settings {
  return {
    ...given,
    baseUrl: given.baseUrl ?? defaultBaseUrl(given.host, given.port),
    trustedProxies: given.trustedProxies ?? [],
    corsOrigins: given.corsOrigins ?? [],
    webhooksAllowPrivate: given.webhooksAllowPrivate ?? (given.demo && isLoopback(given.host)),
  };
}

/** With port 0 the caller asks again once it knows the port. No client can reach a wildcard, so that is localhost. */
export function defaultBaseUrl(host: string, port: number): string {
  const wildcard = host === '0.0.0.0' || host === '::';
  const name = wildcard ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return new URL(`http://${name}:${port}`).origin;
}

function isLoopback(host: string): boolean {
  return host === '::1' || host.toLowerCase() === 'localhost' || (isIPv4(host) && host.startsWith('127.'));
}

function wrongValue(setting: Setting, text: string): string {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  const value = setting.secret
    ? 'has a wrong value (not shown, it is secret)'
    : `is ${JSON.stringify(shown)}`;
  return `${setting.name} ${value}. It must be ${setting.kind.allowed}.`;
}

/** A misspelt setting would otherwise be ignored in silence. Its value may be a secret and is never shown. */
function unknownNames(env: Environment): string[] {
  const known = new Set(rows.map(([, setting]) => setting.name));
  return Object.keys(env)
    .filter((name) => /^tenantry_/i.test(name) && env[name] !== undefined && !known.has(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      return `${name} is no setting of Tenantry.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
    });
}

/** The configuration as an operator may see it: of a secret only whether it is set. */
export function describeSettings(settings: Settings): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = settings;
  return Object.fromEntries(
    rows.map(([field, { secret }]) => {
      const value = values[field];
      return [field, secret ? (value === undefined ? 'not set' : 'set') : (value ?? null)];
    }),
  );
}
