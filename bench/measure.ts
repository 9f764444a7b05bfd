import { type Extent, load, type Round, type Target } from './load.ts';
import type { Rounds } from './plan.ts';

export interface Contestant {
  /** Asked before each round, where what one round creates must not burden the next. */
  readonly target: () => Target | Promise<Target>;
  /** Of a round; as many seconds as planned unless given. */
  readonly extent?: Extent;
}

export const always = (target: Target): Contestant => ({ target: () => target });

export interface Side {
  readonly medianPerSecond: number;
  readonly rounds: readonly Round[];
  /** Answers in all, those of the warm-up included. */
  readonly answers: number;
}

/** Both in turn, round by round, so that whatever else the machine does meets both alike. */
export async function measureBoth(
  one: Contestant,
  other: Contestant,
  { rounds, seconds, warmUpSeconds }: Rounds,
): Promise<[Side, Side]> {
  const contestants = [one, other].map((contestant) => ({
    ...contestant,
    measured: [] as Round[],
    answers: 0,
  }));
  for (let round = -1; round < rounds; round++) {
    for (const contestant of contestants) {
      const { target, extent = { seconds }, measured } = contestant;
      const made = await load(await target(), round < 0 ? { seconds: warmUpSeconds } : extent);
      contestant.answers += made.answers;
      if (round >= 0) measured.push(made);
    }
  }
  return contestants.map(({ measured, answers }) => sideOf(measured, answers)) as [Side, Side];
}

const sideOf = (rounds: readonly Round[], answers: number): Side => ({
  medianPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
  rounds,
  answers,
});

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export const rounded = (value: number): number => Math.round(value * 1000) / 1000;
