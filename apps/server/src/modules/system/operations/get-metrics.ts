import { defineRoute, type Route } from '#platform/http/route.ts';
import type { Platform } from '#platform/platform.ts';

export const getMetricsRoute = ({ metrics }: Pick<Platform, 'metrics'>): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/system/metrics',
    operationId: 'getMetrics',
    summary: 'Prometheus text',
    area: 'Platform and health',
    access: 'operator',
    produces: [metrics.registry.contentType],
    handle: () => metrics.registry.metrics(),
  });
