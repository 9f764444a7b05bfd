import { isIP } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { Principal } from '#platform/auth/principal.ts';
import type { Settings } from '#platform/config/settings.ts';
import { rateLimitHeaders } from '#platform/limits/rate-limit-headers.ts';
import { type Allowance, allowanceOf, type RateLimiter } from '#platform/limits/rate-limiter.ts';
import { commonProblems } from './common.problems.ts';
import { Problem } from './problem.ts';

/** Who is limited by what. Each policy counts apart from the others. */
export class Limits {
  readonly #limiter: RateLimiter;
  readonly #tiers: Readonly<Record<Principal['tier'], Allowance>>;
  readonly #token: Allowance;
  readonly #public: Allowance;

  constructor(limiter: RateLimiter, settings: Settings) {
    const allow = (limit: number): Allowance => allowanceOf(limit, settings.rateBurstPercent);
    this.#limiter = limiter;
    this.#tiers = {
      standard: allow(settings.rateLimitStandard),
      enterprise: allow(settings.rateLimitEnterprise),
    };
    this.#token = allow(settings.rateLimitToken);
    this.#public = allow(settings.rateLimitPublic);
  }

  ofPrincipal(reply: FastifyReply, principal: Principal): Promise<void> {
    return this.#count(reply, 'client', principal.limitKey, this.#tiers[principal.tier]);
  }

  ofTokenRequest(reply: FastifyReply, clientId: string, address: string): Promise<void> {
    return this.#count(reply, 'token', `${clientId}@${networkOf(address)}`, this.#token);
  }

  ofPublicWrite(reply: FastifyReply, address: string): Promise<void> {
    return this.#count(reply, 'public', networkOf(address), this.#public);
  }

  async #count(reply: FastifyReply, policy: string, key: string, allowance: Allowance): Promise<void> {
    const verdict = await this.#limiter.consume(`${policy}:${key}`, allowance);
    const headers = rateLimitHeaders(policy, allowance, verdict);
    reply.header('RateLimit-Policy', headers['RateLimit-Policy']);
    reply.header('RateLimit', headers.RateLimit);
    if (verdict.allowed) return;
    throw new Problem(commonProblems['rate-limited'], {
      detail: `More than ${allowance.limit + allowance.burst} requests came within ${allowance.windowSeconds} seconds.`,
      headers: { 'Retry-After': headers['Retry-After'] ?? '1' },
    });
  }
}

/** An IPv6 host has a /64 to itself: counted by single addresses, it would have as many allowances as it likes. */
function networkOf(address: string): string {
  if (isIP(address) !== 6 || address.startsWith('::ffff:')) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const groups = [
    ...left,
    ...new Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'),
    ...right,
  ];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
