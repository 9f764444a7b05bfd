export const VERDICTS = ['pass', 'warn', 'fail'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What was found when a component was tried just now. */
export interface Check {
  readonly component: string;
  readonly status: Verdict;
  readonly latencyMs: number;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
}

/** As bad as the worst of its checks. */
export function overall(checks: readonly Check[]): Verdict {
  if (checks.some(({ status }) => status === 'fail')) return 'fail';
  return checks.some(({ status }) => status === 'warn') ? 'warn' : 'pass';
}
