import { commonProblems } from './common.problems.ts';
import { Problem } from './problem.ts';

export const JSON_TYPE = 'application/json';

/** Chooses the format of the answer: the one with the highest q that we have, ours in order where they are equal. */
export function negotiate(accept: string | undefined, offered: readonly string[]): string {
  const fallback = offered[0] as string;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === fallback) return fallback;
  const ranges = accept.split(',').map(parseRange);
  let best: { type: string; quality: number } | undefined;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > (best?.quality ?? 0)) best = { type, quality };
  }
  if (best !== undefined) return best.type;
  throw new Problem(commonProblems['not-acceptable'], {
    detail: `This operation answers in ${offered.join(', ')}.`,
  });
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = q === undefined ? 1 : Number(q.slice(2));
  return { type, quality: Number.isFinite(quality) ? quality : 0 };
}

/** The most specific range that covers the type decides (RFC 9110, 12.5.1). */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const bare = type.split(';', 1)[0] as string;
  const wanted = [bare, `${bare.split('/', 1)[0]}/*`, '*/*'];
  for (const name of wanted) {
    const range = ranges.find((candidate) => candidate.type === name);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
