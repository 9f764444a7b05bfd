import type { Allowance, Verdict } from './rate-limiter.ts';

export interface RateLimitHeaders {
  readonly 'RateLimit-Policy': string;
  readonly RateLimit: string;
  readonly 'Retry-After'?: string;
}

/**
 * As structured fields of draft-ietf-httpapi-ratelimit-headers: the policy with its quota `q` per window `w`, and
 * the remaining requests `r` with the seconds `t` until there are more. The burst is part of the quota, since a
 * client may count on it. The name must need no escaping in a quoted string; ours are words.
 */
export function rateLimitHeaders(
  policyName: string,
  allowance: Allowance,
  verdict: Verdict,
): RateLimitHeaders {
  const headers = {
    'RateLimit-Policy': `"${policyName}";q=${allowance.limit + allowance.burst};w=${allowance.windowSeconds}`,
    RateLimit: `"${policyName}";r=${verdict.remaining};t=${verdict.resetSeconds}`,
  };
  return verdict.allowed ? headers : { ...headers, 'Retry-After': String(verdict.resetSeconds) };
}
