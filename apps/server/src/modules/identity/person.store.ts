import { newId } from '#kernel/ids.ts';
import { query } from '#platform/db/query.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';

interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly mustChangePassword: boolean;
  readonly roleIds: readonly string[];
}

export async function insertPerson(tx: TenantTx, person: NewPerson, now: Date): Promise<string> {
  const id = newId();
  await tx.batch([
    query.insertInto('person').values({
      id,
      email: person.email,
      name: person.name,
      password_hash: person.passwordHash,
      must_change_password: person.mustChangePassword,
      created_at: now,
      updated_at: now,
    }),
    ...person.roleIds.map((roleId) =>
      query.insertInto('person_role').values({ person_id: id, role_id: roleId }),
    ),
  ]);
  tx.audit({
    action: 'person.created',
    resourceType: 'person',
    resourceId: id,
    after: { email: person.email, name: person.name, roles: person.roleIds },
  });
  return id;
}
