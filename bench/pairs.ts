import type { Target } from './load.ts';
import { type BareIssuer, type Ours, type Stage, tokenForm } from './stage.ts';

/** One of our operations and what it is measured against. */
export interface Pair {
  readonly name: string;
  readonly ours: (stage: Stage) => Target;
  readonly baseline: (stage: Stage) => Target;
  readonly baselineName: string;
  /** The least share of the baseline's requests per second that will do. */
  readonly target: number;
  readonly aim?: number;
}

export const tokenRequest = ({ url, client }: Ours | BareIssuer): Target => ({
  url: `${url}/connect/token`,
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: tokenForm(client).toString(),
});

const bareRoute = ({ bareFastify }: Stage): Target => ({ url: `${bareFastify.url}/ping` });

export const pairs: readonly Pair[] = [
  {
    name: 'ping',
    ours: ({ ours }) => ({ url: `${ours.url}/api/health/ping` }),
    baseline: bareRoute,
    baselineName: 'bare Fastify route',
    target: 0.5,
    aim: 0.65,
  },
  {
    // Authenticated, rate-limited, and a single row read under row security.
    name: 'read a tenant',
    ours: ({ ours }) => ({
      url: `${ours.url}/tenants/${ours.tenantId}`,
      headers: { authorization: `Bearer ${ours.accessToken}` },
    }),
    baseline: bareRoute,
    baselineName: 'bare Fastify route',
    target: 0.25,
    aim: 0.32,
  },
  {
    name: 'issue a token',
    ours: ({ ours }) => tokenRequest(ours),
    baseline: ({ bareIssuer }) => tokenRequest(bareIssuer),
    baselineName: 'bare oidc-provider',
    target: 0.8,
  },
];
