import { measureBoth, rounded, type Side } from './measure.ts';
import { inLargeTenant, inSmallTenant, type Operation, operations } from './operations.ts';
import type { Plan } from './plan.ts';
import type { Stage } from './stage.ts';
import { targets, type Verdict, verdictOnCost } from './targets.ts';

export interface GrowthResult {
  readonly name: string;
  readonly small: Side;
  readonly large: Side;
  /** What it costs in the large tenant, in its cost in the small one. */
  readonly cost: number;
  readonly most: number;
  readonly verdict: Verdict;
}

export const growthName = ({ name }: Operation): string => `growth: ${name}`;
export const growthOperations = operations;

/** The same request to a small tenant and to a large one in the same database, in turn. */
export async function measureGrowth(
  operation: Operation,
  { catalog }: Stage,
  plan: Plan,
): Promise<GrowthResult> {
  // The large one first: then the statistics that both are planned by are the same.
  const large = await inLargeTenant(operation, catalog, plan);
  const small = await inSmallTenant(operation, catalog, plan, plan.growth.rounds);
  const [smallSide, largeSide] = await measureBoth(small, large, plan.growth);
  const cost = smallSide.medianPerSecond / largeSide.medianPerSecond;
  return {
    name: growthName(operation),
    small: smallSide,
    large: largeSide,
    cost: rounded(cost),
    most: targets.growth.most,
    verdict: verdictOnCost(cost, targets.growth),
  };
}
