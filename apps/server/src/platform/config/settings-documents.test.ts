import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { parseEnv } from 'node:util';
import { readSettings } from './settings.ts';
import { renderEnvExample, renderSettingsTable } from './settings-documents.ts';
import { type Setting, settingsTable } from './settings-table.ts';

const settings: readonly Setting[] = Object.values(settingsTable);

it('.env.example is the one generated from the table', () => {
  const committed = readFileSync(new URL('../../../../../.env.example', import.meta.url), 'utf8');
  assert.equal(committed, renderEnvExample());
});

it('.env.example changes nothing, neither as it is nor with every line uncommented', () => {
  const asItIs = parseEnv(renderEnvExample());
  const uncommented = parseEnv(renderEnvExample().replaceAll(/^#(?=[A-Z])/gm, ''));
  assert.deepEqual(asItIs, {});
  assert.deepEqual(Object.keys(uncommented).sort(), settings.map(({ name }) => name).sort());
  assert.deepEqual(readSettings(uncommented), readSettings({}));
});

it('the Markdown table has a row of three cells per setting', () => {
  const table = renderSettingsTable();
  for (const { name } of settings) {
    assert.match(table, new RegExp(`^\\| \`${name}\` \\| [^|]+ \\| [^|]+ \\|$`, 'm'));
  }
});

it('each setting has a default or says what happens without one', () => {
  for (const { name, default: fixed, without } of settings) {
    assert.equal(fixed === undefined, without !== undefined, name);
  }
});
