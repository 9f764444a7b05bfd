import { hashPassword, temporaryPassword } from '#platform/auth/password.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { insertPerson } from './person.store.ts';

interface Administrator {
  readonly email: string;
  readonly name: string;
}

/** The first administrator gets a password to change at once; it is returned here and kept nowhere. */
export async function provisionAdministrator(
  tx: TenantTx,
  administrator: Administrator,
  roles: ReadonlyMap<string, string>,
  now: Date,
): Promise<string> {
  const password = temporaryPassword();
  const passwordHash = await hashPassword(password);
  const owner = roles.get('owner') as string;
  await insertPerson(tx, { ...administrator, passwordHash, mustChangePassword: true, roleIds: [owner] }, now);
  return password;
}
