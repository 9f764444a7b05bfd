import { readFileSync } from 'node:fs';

const API = new URL('../../../../api/', import.meta.url);

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly access: string;
}

/** The rows of a table in `api/`, by the names of its first line. */
function readTable(file: string): Record<string, string>[] {
  const [head = '', ...lines] = readFileSync(new URL(file, API), 'utf8').trimEnd().split('\n');
  const names = head.split('\t');
  return lines.map((line) =>
    Object.fromEntries(line.split('\t').map((cell, column) => [names[column] ?? '', cell])),
  );
}

/** Every operation that the API is to have. */
export const listedOperations = (): Operation[] =>
  readTable('operations.tsv').map(({ method = '', path = '', access = '' }) => ({ method, path, access }));

/** Those that are not built yet, as `METHOD path`. This list may only shrink. */
export const notBuiltYet = (): string[] =>
  readTable('not-built-yet.tsv').map(({ method, path }) => `${method} ${path}`);
