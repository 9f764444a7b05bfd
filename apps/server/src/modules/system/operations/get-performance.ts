import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Type } from 'typebox';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { Strict } from '#platform/http/schemas.ts';
import type { Platform } from '#platform/platform.ts';

const Percentiles = { p50: Type.Number(), p95: Type.Number(), p99: Type.Number(), max: Type.Number() };

export const getPerformanceRoute = ({ metrics }: Pick<Platform, 'metrics'>): Route => {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  const inMs = (nanoseconds: number): number => Math.round(nanoseconds / 1e3) / 1e3;
  return defineRoute({
    method: 'GET',
    path: '/api/system/performance',
    operationId: 'getPerformance',
    summary: 'Request rates and latency percentiles per route, event-loop lag, memory',
    description:
      'Of the process that answers. Percentiles are over the newest 512 requests of each operation.',
    area: 'Platform and health',
    access: 'operator',
    response: Strict({
      operations: Type.Array(
        Strict({
          operation: Type.String(),
          requests: Type.Integer(),
          errors: Type.Integer(),
          requestsPerSecond: Type.Number(),
          latencyMs: Strict(Percentiles),
        }),
      ),
      eventLoopLagMs: Strict(Percentiles),
      memory: Strict({
        residentBytes: Type.Integer(),
        heapUsedBytes: Type.Integer(),
        heapTotalBytes: Type.Integer(),
      }),
    }),
    handle: () => {
      const { rss, heapUsed, heapTotal } = process.memoryUsage();
      return {
        operations: metrics.perOperation(),
        eventLoopLagMs: {
          p50: inMs(lag.percentile(50)),
          p95: inMs(lag.percentile(95)),
          p99: inMs(lag.percentile(99)),
          max: inMs(lag.max),
        },
        memory: { residentBytes: rss, heapUsedBytes: heapUsed, heapTotalBytes: heapTotal },
      };
    },
  });
};
