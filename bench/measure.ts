import { load, type Round } from './load.ts';
import type { Pair } from './pairs.ts';
import type { Stage } from './stage.ts';

export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

interface Side {
  readonly medianPerSecond: number;
  readonly rounds: readonly Round[];
}

export interface PairResult {
  readonly name: string;
  readonly baselineName: string;
  readonly ours: Side;
  readonly baseline: Side;
  readonly ratio: number;
  readonly target: number;
  readonly aim: number | null;
  readonly verdict: 'aim reached' | 'target met' | 'target missed';
}

/** Both in turn, round by round, so that whatever else the machine does meets both alike. */
export async function measurePair(pair: Pair, stage: Stage, plan: Plan): Promise<PairResult> {
  const ours = pair.ours(stage);
  const baseline = pair.baseline(stage);
  await load(ours, { seconds: plan.warmUpSeconds });
  await load(baseline, { seconds: plan.warmUpSeconds });
  const oursRounds: Round[] = [];
  const baselineRounds: Round[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    oursRounds.push(await load(ours, plan));
    baselineRounds.push(await load(baseline, plan));
  }
  const sides = { ours: sideOf(oursRounds), baseline: sideOf(baselineRounds) };
  const ratio = sides.ours.medianPerSecond / sides.baseline.medianPerSecond;
  const { name, baselineName, target, aim = null } = pair;
  return {
    name,
    baselineName,
    ...sides,
    ratio: Math.round(ratio * 1000) / 1000,
    target,
    aim,
    verdict: verdictOn(ratio, pair),
  };
}

const sideOf = (rounds: readonly Round[]): Side => ({
  medianPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
  rounds,
});

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function verdictOn(ratio: number, { target, aim }: Pair): PairResult['verdict'] {
  if (ratio < target) return 'target missed';
  return aim !== undefined && ratio >= aim ? 'aim reached' : 'target met';
}
