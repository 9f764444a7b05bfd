/** What will do (`least`, `most`) and what we aim at. Every figure that a result is judged by stands here. */
export const targets = {
  /** The share of the baseline's requests per second. */
  pairs: {
    ping: { least: 0.5, aim: 0.65 },
    'read a tenant': { least: 0.25, aim: 0.32 },
    'issue a token': { least: 0.8 },
    'read a product': { least: 0.25, aim: 0.32 },
    'list 25 of 10,000 products': { least: 0.09, aim: 0.12 },
    // Its matches are counted anew each time, so it costs what they are: told, not judged.
    'list 25 of 10,000 products, filtered': {},
    'create a product, the same statements': { least: 0.7 },
    'create a product': { least: 0.06, aim: 0.1 },
  },
  /** What a request costs in a large tenant, in a small one's. */
  growth: { most: 1.5 },
  /** What a request of a small tenant costs beside a large one, in what it cost before. */
  neighbour: { most: 1.3 },
  export: { least: 1 / 3, grownMbMost: 50 },
  /** A resident set swings by a few percent with the moment of the last collection; a leak goes beyond that. */
  memory: { ratioMost: 1.4, growthMost: 1.1 },
} as const satisfies Targets;

interface Targets {
  readonly pairs: Readonly<Record<string, PairTarget>>;
  readonly growth: { readonly most: number };
  readonly neighbour: { readonly most: number };
  readonly export: { readonly least: number; readonly grownMbMost: number };
  readonly memory: { readonly ratioMost: number; readonly growthMost: number };
}

export interface PairTarget {
  readonly least?: number;
  readonly aim?: number;
}

export type PairName = keyof typeof targets.pairs;

export type Verdict = 'aim reached' | 'target met' | 'target missed' | 'reported';

export function verdictOnShare(share: number, { least, aim }: PairTarget): Verdict {
  if (least === undefined) return 'reported';
  if (share < least) return 'target missed';
  return aim !== undefined && share >= aim ? 'aim reached' : 'target met';
}

export const verdictOnCost = (cost: number, { most }: { readonly most: number }): Verdict =>
  cost <= most ? 'target met' : 'target missed';
