import { newId } from '../apps/server/src/kernel/ids.ts';
import { countProducts } from './database.ts';
import { fillTenant, settle } from './fill.ts';
import type { Target } from './load.ts';
import { always, measureBoth, rounded, type Side } from './measure.ts';
import type { Plan, Sizes } from './plan.ts';
import {
  authorized,
  createProducts,
  listCategory,
  listProducts,
  readProducts,
  tokenRequest,
} from './requests.ts';
import type { Ours, Stage } from './stage.ts';
import { type PairName, type PairTarget, targets, type Verdict, verdictOnShare } from './targets.ts';

/** One of our operations and what it is measured against. */
export interface Pair {
  readonly name: PairName;
  readonly ours: (stage: Stage, sizes: Sizes) => Target | Promise<Target>;
  readonly baseline: (stage: Stage, sizes: Sizes) => Target | Promise<Target>;
  readonly baselineName: string;
  /** Counts the rows on each side that creates. Every answer must have left one. */
  readonly rows?: (stage: Stage) => { ours: () => Promise<number>; baseline?: () => Promise<number> };
}

const bareFastify = {
  baseline: ({ bareFastify }: Stage): Target => ({ url: `${bareFastify.url}/ping` }),
  baselineName: 'bare Fastify route',
};

const listed = ({ catalog }: Stage, { listed }: Sizes) => catalog.tenant('listed', listed);
const createInDemo = ({ ours }: Stage): Target => createProducts(ours.url, authorized(ours));

/** Among as many products of others as there are with us: an empty table would have it easier. */
async function createBarely(stage: Stage, sizes: Sizes): Promise<Target> {
  const { url, database } = stage.bareCreate;
  const { size } = await listed(stage, sizes);
  await fillTenant(database, newId(), size);
  await settle(database);
  return createProducts(url, {});
}

const rowsOf =
  ({ database, tenantId }: Pick<Ours, 'database' | 'tenantId'>) =>
  (): Promise<number> =>
    countProducts(database, tenantId);

export const pairs: readonly Pair[] = [
  {
    name: 'ping',
    ours: ({ ours }) => ({ url: `${ours.url}/api/health/ping` }),
    ...bareFastify,
  },
  {
    // Authenticated, rate-limited, and a single row read under row security.
    name: 'read a tenant',
    ours: ({ ours }) => ({ url: `${ours.url}/tenants/${ours.tenantId}`, headers: authorized(ours) }),
    ...bareFastify,
  },
  {
    name: 'issue a token',
    ours: ({ ours }) => tokenRequest(ours),
    baseline: ({ bareIssuer }) => tokenRequest(bareIssuer),
    baselineName: 'bare oidc-provider',
  },
  {
    name: 'read a product',
    ours: async (stage, sizes) => readProducts(await listed(stage, sizes)),
    ...bareFastify,
  },
  {
    name: 'list 25 of 10,000 products',
    ours: async (stage, sizes) => listProducts(await listed(stage, sizes)),
    ...bareFastify,
  },
  {
    name: 'list 25 of 10,000 products, filtered',
    ours: async (stage, sizes) => listCategory(await listed(stage, sizes)),
    ...bareFastify,
  },
  {
    name: 'create a product, the same statements',
    ours: createInDemo,
    baseline: createBarely,
    baselineName: 'bare Fastify route with the same statements in one write',
    rows: ({ ours, bareCreate }) => ({ ours: rowsOf(ours), baseline: rowsOf(bareCreate) }),
  },
  {
    name: 'create a product',
    ours: createInDemo,
    rows: ({ ours }) => ({ ours: rowsOf(ours) }),
    ...bareFastify,
  },
];

export interface PairResult {
  readonly name: PairName;
  readonly baselineName: string;
  readonly ours: Side;
  readonly baseline: Side;
  readonly ratio: number;
  readonly target: PairTarget;
  /** Of what was created: as many as there were answers. */
  readonly rows: { readonly ours: number; readonly baseline: number | null } | null;
  readonly verdict: Verdict;
}

export async function measurePair(pair: Pair, stage: Stage, plan: Plan): Promise<PairResult> {
  const { name, baselineName } = pair;
  const count = pair.rows?.(stage);
  const before = { ours: await count?.ours(), baseline: await count?.baseline?.() };
  const [ours, baseline] = await measureBoth(
    always(await pair.ours(stage, plan.sizes)),
    always(await pair.baseline(stage, plan.sizes)),
    plan.pairs,
  );
  const made = {
    ours: await madeSince(before.ours, count?.ours, ours.answers),
    baseline: await madeSince(before.baseline, count?.baseline, baseline.answers),
  };
  const ratio = ours.medianPerSecond / baseline.medianPerSecond;
  const target = targets.pairs[name];
  return {
    name,
    baselineName,
    ours,
    baseline,
    ratio: rounded(ratio),
    target,
    rows: made.ours === null ? null : { ours: made.ours, baseline: made.baseline },
    verdict: verdictOnShare(ratio, target),
  };
}

async function madeSince(
  before: number | undefined,
  count: (() => Promise<number>) | undefined,
  answers: number,
): Promise<number | null> {
  if (before === undefined || count === undefined) return null;
  const made = (await count()) - before;
  if (made !== answers) throw new Error(`${answers} creates were answered, and ${made} rows are there`);
  return made;
}
