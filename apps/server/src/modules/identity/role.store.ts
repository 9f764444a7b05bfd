import { newId } from '#kernel/ids.ts';
import { query } from '#platform/db/query.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { builtInRoles } from './domain/built-in-roles.ts';

interface RoleRef {
  readonly id: string;
  readonly name: string;
  readonly permissions: string[];
}

export function findRoles(tx: TenantTx, ids: readonly string[]): Promise<RoleRef[]> {
  return tx.rows(
    query
      .selectFrom('role')
      .select(['id', 'name', 'permissions'])
      .where('id', 'in', [...ids]),
  );
}

/** The roles that every workspace begins with, by name. */
export async function insertBuiltInRoles(tx: TenantTx, now: Date): Promise<Map<string, string>> {
  const rows = builtInRoles.map((role) => ({
    id: newId(),
    name: role.name,
    description: role.description,
    permissions: [...role.permissions],
    is_built_in: true,
    created_at: now,
    updated_at: now,
  }));
  await tx.write(query.insertInto('role').values(rows));
  tx.audit({
    action: 'role.builtInsCreated',
    resourceType: 'role',
    resourceId: null,
    after: rows.map(({ id, name }) => ({ id, name })),
  });
  return new Map(rows.map(({ name, id }) => [name, id]));
}
