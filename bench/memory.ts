import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { load } from './load.ts';
import { tokenRequest } from './pairs.ts';
import type { Stage } from './stage.ts';

/** Resident sets in megabytes, after the same number of token requests to each, sent once and then once more. */
export interface Memory {
  readonly requestsPerRun: number;
  readonly oursMb: readonly [afterRun1: number, afterRun2: number];
  readonly baselineMb: readonly [afterRun1: number, afterRun2: number];
  readonly ratio: number;
  readonly ratioMax: number;
  readonly growth: number;
  readonly growthMax: number;
  readonly isMet: boolean;
}

const RATIO_MAX = 1.4;
/** A resident set swings by a few percent with the moment of the last collection; a leak goes beyond that. */
const GROWTH_MAX = 1.1;
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
  const isMet = ratio <= RATIO_MAX && growth <= GROWTH_MAX;
  return {
    requestsPerRun,
    oursMb,
    baselineMb,
    ratio,
    ratioMax: RATIO_MAX,
    growth,
    growthMax: GROWTH_MAX,
    isMet,
  };
}

/** From /proc where there is one: a small image has no ps. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  const kilobytes =
    status === undefined
      ? (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout.trim()
      : /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return Math.round(Number(kilobytes) / 102.4) / 10;
}
