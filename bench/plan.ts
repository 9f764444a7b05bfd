/** How long and how much. */
export interface Plan {
  readonly pairs: Rounds;
  readonly growth: Rounds;
  readonly neighbour: Rounds;
  /** A round of creating in a tenant whose size matters ends before it has become another tenant. */
  readonly createsPerRound: number;
  readonly exports: number;
  /** Null leaves memory unmeasured: after a short run it says nothing. */
  readonly memoryRequests: number | null;
  readonly sizes: Sizes;
}

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** How many products each kind of tenant has. */
export interface Sizes {
  readonly listed: number;
  readonly small: number;
  readonly large: number;
  readonly exported: number;
}

export const fullPlan: Plan = {
  pairs: { rounds: 5, seconds: 5, warmUpSeconds: 2 },
  growth: { rounds: 5, seconds: 2.5, warmUpSeconds: 2 },
  neighbour: { rounds: 3, seconds: 2.5, warmUpSeconds: 1.5 },
  createsPerRound: 2_000,
  exports: 5,
  memoryRequests: 20_000,
  sizes: { listed: 10_000, small: 1_000, large: 1_000_000, exported: 100_000 },
};

const briefly: Rounds = { rounds: 1, seconds: 0.5, warmUpSeconds: 0.1 };

/** Only shows that everything answers. */
export const quickPlan: Plan = {
  pairs: briefly,
  growth: briefly,
  neighbour: briefly,
  createsPerRound: 200,
  exports: 2,
  memoryRequests: null,
  sizes: { listed: 2_000, small: 1_000, large: 10_000, exported: 5_000 },
};
