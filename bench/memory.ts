import { setTimeout as sleep } from 'node:timers/promises';
import { load } from './load.ts';
import { tokenRequest } from './requests.ts';
import { residentMb } from './resident.ts';
import type { Stage } from './stage.ts';
import { targets, type Verdict } from './targets.ts';

/** Resident sets in megabytes, after the same number of token requests to each, sent once and then once more. */
export interface Memory {
  readonly requestsPerRun: number;
  readonly oursMb: readonly [afterRun1: number, afterRun2: number];
  readonly baselineMb: readonly [afterRun1: number, afterRun2: number];
  readonly ratio: number;
  readonly ratioMost: number;
  readonly growth: number;
  readonly growthMost: number;
  readonly verdict: Verdict;
}

export const MEMORY_NAME = 'memory of tokens';
const SETTLE_MS = 1_000;

/** Wants servers that have done nothing yet, so that both have had the same load and no other. */
export async function measureMemory(stage: Stage, requestsPerRun: number): Promise<Memory> {
  const { ours, bareIssuer } = stage;
  const after = async (subject: typeof ours | typeof bareIssuer): Promise<number> => {
    await load(tokenRequest(subject), { requests: requestsPerRun });
    await sleep(SETTLE_MS);
    return residentMb(subject.pid);
  };
  const oursMb = [await after(ours), await after(ours)] as const;
  const baselineMb = [await after(bareIssuer), await after(bareIssuer)] as const;
  const ratio = Math.max(oursMb[0] / baselineMb[0], oursMb[1] / baselineMb[1]);
  const growth = oursMb[1] / oursMb[0];
  const { ratioMost, growthMost } = targets.memory;
  const isMet = ratio <= ratioMost && growth <= growthMost;
  return {
    requestsPerRun,
    oursMb,
    baselineMb,
    ratio,
    ratioMost,
    growth,
    growthMost,
    verdict: isMet ? 'target met' : 'target missed',
  };
}
