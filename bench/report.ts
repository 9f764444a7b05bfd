import type { ExportResult } from './export.ts';
import type { GrowthResult } from './growth.ts';
import type { Memory } from './memory.ts';
import type { NeighbourResult } from './neighbour.ts';
import type { PairResult } from './pairs.ts';

/** All that was measured; what was not asked for is absent. */
export interface Results {
  readonly memory?: Memory;
  readonly pairs: readonly PairResult[];
  readonly neighbour: readonly NeighbourResult[];
  readonly growth: readonly GrowthResult[];
  readonly export?: ExportResult;
}

export function report({ memory, pairs, neighbour, growth, export: exported }: Results): string {
  return [
    pairs.length > 0 ? [pairsTable(pairs)] : [],
    neighbour.length > 0 ? [neighbourTable(neighbour)] : [],
    growth.length > 0 ? [growthTable(growth)] : [],
    exported === undefined ? [] : [exportTable(exported)],
    memory === undefined ? [] : [memoryTable(memory)],
  ]
    .flat()
    .join('\n\n');
}

export const allMet = ({ memory, pairs, neighbour, growth, export: exported }: Results): boolean =>
  [...pairs, ...neighbour, ...growth, exported, memory].every(
    (result) => result?.verdict !== 'target missed',
  );

const pairsTable = (results: readonly PairResult[]): string =>
  table([
    [
      'pair',
      'ours/s',
      'baseline/s',
      'p99 ms',
      'ratio',
      'target',
      'aim',
      'verdict',
      'rows = answers',
      'against',
    ],
    ...results.map(({ name, ours, baseline, ratio, target, verdict, rows, baselineName }) => [
      name,
      String(ours.medianPerSecond),
      String(baseline.medianPerSecond),
      `${Math.max(...ours.rounds.map((round) => round.p99Ms))}`,
      ratio.toFixed(3),
      target.least?.toFixed(2) ?? '',
      target.aim?.toFixed(2) ?? '',
      verdict,
      rows === null ? '' : [rows.ours, rows.baseline ?? []].flat().join(', '),
      baselineName,
    ]),
  ]);

const neighbourTable = (results: readonly NeighbourResult[]): string =>
  table([
    ['small tenant beside a large one', 'before/s', 'bare/s', 'after/s', 'bare/s', 'cost', 'most', 'verdict'],
    ...results.map(({ name, before, after, cost, most, verdict }) => [
      name,
      String(before.perSecond),
      String(before.barePerSecond),
      String(after.perSecond),
      String(after.barePerSecond),
      cost.toFixed(2),
      most.toFixed(2),
      verdict,
    ]),
  ]);

const growthTable = (results: readonly GrowthResult[]): string =>
  table([
    ['growth within a tenant', 'small/s', 'large/s', 'cost', 'most', 'verdict'],
    ...results.map(({ name, small, large, cost, most, verdict }) => [
      name,
      String(small.medianPerSecond),
      String(large.medianPerSecond),
      cost.toFixed(2),
      most.toFixed(2),
      verdict,
    ]),
  ]);

const exportTable = ({
  rows,
  ours,
  copy,
  ratio,
  least,
  memory,
  grownMb,
  grownMbMost,
  verdict,
}: ExportResult): string =>
  table([
    ['export', `ms for ${rows} rows`, 'rows/s', 'limit'],
    ['ours', String(ours.medianMs), String(ours.rowsPerSecond), ''],
    ['COPY … TO STDOUT', String(copy.medianMs), String(copy.rowsPerSecond), ''],
    ['ratio', '', ratio.toFixed(2), `at least ${least.toFixed(2)}`],
    ['grown, MB', `${memory.beforeMb} to ${memory.peakMb}`, grownMb.toFixed(1), `below ${grownMbMost}`],
    ['verdict', '', '', verdict],
  ]);

function memoryTable({ oursMb, baselineMb, ratio, ratioMost, growth, growthMost, verdict }: Memory): string {
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
      `${ratioMost} (worse: ${ratio.toFixed(2)})`,
    ],
    ['growth of ours', '', growth.toFixed(2), String(growthMost)],
    ['verdict', '', '', verdict],
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
