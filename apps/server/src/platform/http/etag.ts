import { commonProblems, invalid } from './common.problems.ts';
import { Problem } from './problem.ts';

export const etagOf = (version: string | number): string => `"${version}"`;

const TAGS = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*)*$/;

/** The entity tags of `If-Match` or `If-None-Match`; `*` stands for any. */
export function parseTags(header: string | undefined, name: string): readonly string[] | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return ['*'];
  if (!TAGS.test(header)) throw invalid(`/headers/${name}`, 'must be * or a list of entity tags such as "3"');
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** Called under the lock of the row: of two writers with the same tag one wins, the other is told. */
export function requireMatch(ifMatch: readonly string[] | undefined, version: string | number): void {
  if (ifMatch === undefined || ifMatch.includes('*') || ifMatch.includes(etagOf(version))) return;
  throw new Problem(commonProblems['precondition-failed'], {
    detail: `The resource is at ${etagOf(version)} now, and If-Match asks for ${ifMatch.join(', ')}.`,
    headers: { etag: etagOf(version) },
  });
}

/** A weak comparison, as RFC 9110 asks of If-None-Match. */
export const isUnchanged = (ifNoneMatch: readonly string[] | undefined, etag: string): boolean =>
  ifNoneMatch?.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag) ?? false;
