import { type Setting, settingsTable } from './settings-table.ts';

const settings: readonly Setting[] = Object.values(settingsTable);

/** Everything is commented out, so that a copy of the file changes nothing until somebody edits it. */
export function renderEnvExample(): string {
  const lines = [
    '# Settings of Tenantry. Copy this file to .env and uncomment what should differ from the default.',
    '# Generated from apps/server/src/platform/config/settings-table.ts by `npm run generate`.',
  ];
  for (const [group, members] of byGroup()) {
    lines.push('', `## ${group}`);
    for (const setting of members) {
      lines.push('', `# ${setting.description}`);
      if (setting.without !== undefined) lines.push(`# Without it: ${setting.without}.`);
      lines.push(`#${setting.name}=${setting.default ?? ''}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The same as Markdown, for the README. */
export function renderSettingsTable(): string {
  const lines = ['| Setting | Default | Meaning |', '|---|---|---|'];
  for (const [group, members] of byGroup()) {
    lines.push(`| **${group}** | | |`);
    for (const { name, default: fixed, without = '', description } of members) {
      const otherwise = fixed === undefined ? without.replaceAll(/\S*<\w+>\S*/g, '`$&`') : `\`${fixed}\``;
      lines.push(`| \`${name}\` | ${otherwise} | ${description.replaceAll('*', '\\*')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function byGroup(): Map<string, Setting[]> {
  return Map.groupBy(settings, ({ group }) => group);
}
