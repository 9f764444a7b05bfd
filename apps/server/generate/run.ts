import { readFile, writeFile } from 'node:fs/promises';
import { withTemporaryFolder } from '../test/temporary-folder.ts';
import { documents } from './documents.ts';
import { withFreshDatabase } from './fresh-database.ts';
import { schemaSql } from './schema-sql.ts';
import { schemaTypes } from './schema-types.ts';

/** Writes every generated file; with `--check` it writes nothing and names those that are out of date. */
const root = new URL('../../..', import.meta.url);
const isCheck = process.argv.includes('--check');

const stale = await withTemporaryFolder(async (folder) => {
  const fromDatabase = await withFreshDatabase(folder, async (client) => ({
    'apps/server/db/schema.sql': await schemaSql(client),
    'apps/server/src/platform/db/schema.ts': await schemaTypes(client),
  }));
  return settle({ ...fromDatabase, ...(await documents(root)) });
});
for (const file of stale) console.log(`${isCheck ? 'out of date' : 'written'}: ${file}`);
if (isCheck && stale.length > 0) {
  console.error('Run `npm run generate` and commit what it writes.');
  process.exit(1);
}

async function settle(files: Readonly<Record<string, string>>): Promise<string[]> {
  const changed: string[] = [];
  for (const [file, content] of Object.entries(files)) {
    const path = new URL(file, root);
    if ((await readFile(path, 'utf8').catch(() => '')) === content) continue;
    changed.push(file);
    if (!isCheck) await writeFile(path, content);
  }
  return changed;
}
