import { always, measureBoth, rounded } from './measure.ts';
import { inSmallTenant, type Operation, operations } from './operations.ts';
import type { Plan } from './plan.ts';
import type { Stage } from './stage.ts';
import { targets, type Verdict, verdictOnCost } from './targets.ts';

export interface NeighbourResult {
  readonly name: string;
  readonly before: Measured;
  readonly after: Measured;
  /** What it costs beside the large tenant, in what it cost without. */
  readonly cost: number;
  readonly most: number;
  readonly verdict: Verdict;
}

/** Against a bare route in the same minute: minutes lie between before and after, and the machine may have changed. */
interface Measured {
  readonly perSecond: number;
  readonly barePerSecond: number;
}

export const neighbourName = ({ name }: Operation): string => `neighbour: ${name}`;
/** A small tenant has no depth. */
export const neighbourOperations = operations.filter(({ name }) => !name.includes('cursor'));

/** All that is wanted, before a large tenant is there and after. */
export async function measureNeighbour(
  wanted: readonly Operation[],
  stage: Stage,
  plan: Plan,
): Promise<NeighbourResult[]> {
  const before = await measureAll(wanted, stage, plan);
  await stage.catalog.tenant('large', plan.sizes.large);
  const after = await measureAll(wanted, stage, plan);
  return wanted.map((operation, i) => resultOf(operation, before[i] as Measured, after[i] as Measured));
}

async function measureAll(wanted: readonly Operation[], stage: Stage, plan: Plan): Promise<Measured[]> {
  const bare = always({ url: `${stage.bareFastify.url}/ping` });
  const measured: Measured[] = [];
  for (const operation of wanted) {
    const small = await inSmallTenant(operation, stage.catalog, plan, plan.neighbour.rounds);
    const [ours, baseline] = await measureBoth(small, bare, plan.neighbour);
    measured.push({ perSecond: ours.medianPerSecond, barePerSecond: baseline.medianPerSecond });
  }
  return measured;
}

function resultOf(operation: Operation, before: Measured, after: Measured): NeighbourResult {
  const share = ({ perSecond, barePerSecond }: Measured): number => perSecond / barePerSecond;
  const cost = share(before) / share(after);
  return {
    name: neighbourName(operation),
    before,
    after,
    cost: rounded(cost),
    most: targets.neighbour.most,
    verdict: verdictOnCost(cost, targets.neighbour),
  };
}
