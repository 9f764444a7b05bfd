import type { Module } from '#platform/http/module.ts';
import type { Platform } from '#platform/platform.ts';
import { HealthChecks } from './health-checks.ts';
import { getDbStatusRoute } from './operations/get-db-status.ts';
import { getHealthRoute } from './operations/get-health.ts';
import { getMetricsRoute } from './operations/get-metrics.ts';
import { getPerformanceRoute } from './operations/get-performance.ts';
import { getPingRoute } from './operations/get-ping.ts';
import { getSystemHealthRoute } from './operations/get-system-health.ts';
import { getSystemInfoRoute } from './operations/get-system-info.ts';

export const systemModule = (platform: Platform): Module => {
  const health = new HealthChecks(platform);
  return {
    name: 'system',
    problems: {},
    routes: [
      getPingRoute,
      getHealthRoute(health),
      getSystemHealthRoute(health),
      getSystemInfoRoute(platform),
      getDbStatusRoute(platform),
      getMetricsRoute(platform),
      getPerformanceRoute(platform),
    ],
  };
};
