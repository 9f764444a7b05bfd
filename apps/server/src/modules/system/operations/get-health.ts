import { Type } from 'typebox';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { OneOf, Strict } from '#platform/http/schemas.ts';
import { programVersion } from '#platform/program.ts';
import { overall, VERDICTS } from '../domain/health.ts';
import type { HealthChecks } from '../health-checks.ts';

const Verdict = OneOf(VERDICTS);

const Health = Strict(
  {
    status: Verdict,
    version: Type.String(),
    checks: Type.Array(Strict({ component: Type.String(), status: Verdict, latencyMs: Type.Number() })),
  },
  { title: 'Health' },
);

/** For load balancers and the curious: what is wrong, but not why; that is for operators. */
export const getHealthRoute = (health: HealthChecks): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/health',
    operationId: 'getHealth',
    summary: 'Readiness: pass, warn or fail with the checks behind it; 503 on fail',
    area: 'Platform and health',
    access: 'public',
    response: Health,
    otherAnswers: { 503: { description: 'It cannot serve', schema: Health } },
    status: (reply) => (reply.status === 'fail' ? 503 : 200),
    headers: (reply): Record<string, string> => (reply.status === 'fail' ? { 'retry-after': '2' } : {}),
    handle: async () => {
      const checks = await health.run();
      return {
        status: overall(checks),
        version: programVersion,
        checks: checks.map(({ component, status, latencyMs }) => ({ component, status, latencyMs })),
      };
    },
  });
