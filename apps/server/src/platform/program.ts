import { readFileSync } from 'node:fs';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The version of the program, as its package says. */
export const programVersion = (JSON.parse(read('../../package.json')) as { version: string }).version;

/** The commit that it was checked out at; null where it was installed without its history. */
export const programCommit: string | null = commitOf('../../../../.git/');

function commitOf(git: string): string | null {
  try {
    const head = read(`${git}HEAD`).trim();
    const ref = /^ref: (.+)$/.exec(head)?.[1];
    return ref === undefined ? head : read(`${git}${ref}`).trim();
  } catch {
    return null; // no checkout, or its references are packed
  }
}
