import type { PairResult } from './measure.ts';
import type { Memory } from './memory.ts';

export function pairsTable(results: readonly PairResult[]): string {
  return table([
    ['pair', 'ours/s', 'baseline/s', 'p99 ms', 'ratio', 'target', 'aim', 'verdict', 'against'],
    ...results.map(({ name, ours, baseline, ratio, target, aim, verdict, baselineName }) => [
      name,
      String(ours.medianPerSecond),
      String(baseline.medianPerSecond),
      `${Math.max(...ours.rounds.map((round) => round.p99Ms))}`,
      ratio.toFixed(3),
      target.toFixed(2),
      aim?.toFixed(2) ?? '',
      verdict,
      baselineName,
    ]),
  ]);
}

export function memoryTable({
  oursMb,
  baselineMb,
  ratio,
  ratioMax,
  growth,
  growthMax,
  isMet,
}: Memory): string {
  const [ours1, ours2] = oursMb;
  const [baseline1, baseline2] = baselineMb;
  return table([
    ['memory', 'run 1', 'run 2', 'limit'],
    ['ours, MB', ours1.toFixed(1), ours2.toFixed(1), ''],
    ['bare oidc-provider, MB', baseline1.toFixed(1), baseline2.toFixed(1), ''],
    [
      'ratio',
      (ours1 / baseline1).toFixed(2),
      (ours2 / baseline2).toFixed(2),
      `${ratioMax} (worse: ${ratio.toFixed(2)})`,
    ],
    ['growth of ours', '', growth.toFixed(2), String(growthMax)],
    ['verdict', '', '', isMet ? 'target met' : 'target missed'],
  ]);
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const [head = [], ...rest] = rows;
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rest.map(line)].join('\n');
}
