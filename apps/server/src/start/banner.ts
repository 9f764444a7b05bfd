import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '#platform/config/settings.ts';
import { programVersion } from '#platform/program.ts';
import type { FirstRun } from './first-run.ts';

/** What a person sees when the server is up. Secrets are shown on the very first start only. */
export function banner(settings: Settings, dataDir: string, first: FirstRun | undefined): string {
  const { baseUrl } = settings;
  const lines = [
    '',
    `  Tenantry ${programVersion} is running.`,
    '',
    ...(settings.role === 'worker'
      ? ['  Role        worker: it does background work and answers no requests']
      : [`  API         ${baseUrl}`, `  Reference   ${baseUrl}/docs`]),
    `  Data        ${settings.databaseUrl === undefined ? dataDir : 'the database of DATABASE_URL'}`,
  ];
  const kept = join(dataDir, 'first-run.json');
  if (first !== undefined) lines.push(...secretLines(first, kept));
  else if (existsSync(kept))
    lines.push('', `  Credentials of the first start: ${kept} (remove it when you have them)`);
  return `${lines.join('\n')}\n`;
}

function secretLines({ baseUrl, operator, demo }: FirstRun, kept: string): string[] {
  const { clientId, clientSecret } = demo ?? operator;
  return [
    '',
    ...(demo ? ['  Demo workspace', ...credentialLines(demo), ''] : []),
    '  Operator',
    ...credentialLines(operator),
    '',
    '  Try it: paste this.',
    '',
    `  TOKEN=$(curl -s ${baseUrl}/connect/token -d grant_type=client_credentials -d scope=api \\`,
    `    -d client_id=${clientId} -d client_secret=${clientSecret} \\`,
    `    | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s ${baseUrl}/tenants -H "Authorization: Bearer $TOKEN"`,
    '',
    `  These secrets are shown this once. They are also in ${kept}; remove it when you have them.`,
  ];
}

const credentialLines = (who: FirstRun['operator']): string[] => [
  `    sign-in        ${who.email}  ${who.password}  (for the web console, which is not built yet)`,
  `    client id      ${who.clientId}`,
  `    client secret  ${who.clientSecret}`,
];
