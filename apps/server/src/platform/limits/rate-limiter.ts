/** All windows have one length, so one counter serves every tier. */
export const windowSeconds = 60;

export interface Allowance {
  /** Requests per window, as advertised. */
  readonly limit: number;
  /** What is let through above the limit. */
  readonly burst: number;
  readonly windowSeconds: typeof windowSeconds;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Whole seconds, at least 1. Who waits that long finds a new window. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  consume(key: string, allowance: Allowance): Promise<Verdict>;
  /** Rejects while windows are not shared as they should be; requests are limited all the same. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The part of a pino logger that is used here. */
export interface LimitsLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export function allowanceOf(limit: number, burstPercent: number): Allowance {
  return { limit, burst: Math.floor((limit * burstPercent) / 100), windowSeconds };
}
