import { Type } from 'typebox';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { Nullable, OneOf, Strict, Timestamp } from '#platform/http/schemas.ts';
import { overall, VERDICTS } from '../domain/health.ts';
import type { HealthChecks } from '../health-checks.ts';

const Verdict = OneOf(VERDICTS);

export const getSystemHealthRoute = (health: HealthChecks): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/system/health',
    operationId: 'getSystemHealth',
    summary: 'Every component with latency and last error',
    area: 'Platform and health',
    access: 'operator',
    response: Strict({
      status: Verdict,
      components: Type.Array(
        Strict({
          component: Type.String(),
          status: Verdict,
          latencyMs: Type.Number(),
          lastError: Nullable(Type.String()),
          lastErrorAt: Nullable(Timestamp()),
        }),
      ),
    }),
    handle: async () => {
      const checks = await health.run();
      const components = checks.map((check) => ({
        ...check,
        lastErrorAt: check.lastErrorAt?.toISOString() ?? null,
      }));
      return { status: overall(checks), components };
    },
  });
