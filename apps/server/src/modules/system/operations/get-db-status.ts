import { Type } from 'typebox';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { Nullable, Strict, Timestamp } from '#platform/http/schemas.ts';
import type { Platform } from '#platform/platform.ts';
import { databaseStatus } from '../database-status.store.ts';

export const getDbStatusRoute = ({ db }: Pick<Platform, 'db'>): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/system/db-status',
    operationId: 'getDbStatus',
    summary: 'Database version, size, connections, replication, migrations applied',
    area: 'Platform and health',
    access: 'operator',
    response: Strict({
      version: Type.String(),
      sizeBytes: Type.Integer(),
      connections: Strict({ used: Type.Integer(), max: Type.Integer() }),
      pool: Strict({ total: Type.Integer(), idle: Type.Integer(), waiting: Type.Integer() }),
      replication: Strict({
        isReplica: Type.Boolean(),
        replicas: Nullable(Type.Integer({ description: 'null where the role may not see it' })),
      }),
      migrations: Type.Array(
        Strict({ version: Type.Integer(), name: Type.String(), appliedAt: Timestamp() }),
      ),
    }),
    handle: async () => databaseStatus(db),
  });
