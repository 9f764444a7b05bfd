import { Type } from 'typebox';
import { describeSettings } from '#platform/config/settings.ts';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { Nullable, Strict, Timestamp } from '#platform/http/schemas.ts';
import type { Platform } from '#platform/platform.ts';
import { programCommit, programVersion } from '#platform/program.ts';

export const getSystemInfoRoute = ({ settings }: Pick<Platform, 'settings'>): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/system/info',
    operationId: 'getSystemInfo',
    summary: 'Version, build, runtime, uptime, configuration without secrets',
    area: 'Platform and health',
    access: 'operator',
    response: Strict({
      name: Type.String(),
      version: Type.String(),
      apiVersion: Type.String(),
      build: Strict({ commit: Nullable(Type.String({ description: 'null where it is not known' })) }),
      runtime: Strict({
        node: Type.String(),
        platform: Type.String(),
        architecture: Type.String(),
        processId: Type.Integer(),
      }),
      startedAt: Timestamp(),
      uptimeSeconds: Type.Integer(),
      configuration: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Secrets show only whether they are set.',
      }),
    }),
    handle: () => ({
      name: 'Tenantry',
      version: programVersion,
      apiVersion: 'v1',
      build: { commit: programCommit },
      runtime: {
        node: process.versions.node,
        platform: process.platform,
        architecture: process.arch,
        processId: process.pid,
      },
      startedAt: new Date(performance.timeOrigin).toISOString(),
      uptimeSeconds: Math.floor(process.uptime()),
      configuration: describeSettings(settings),
    }),
  });
