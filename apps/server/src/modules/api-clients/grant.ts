import { findRoles } from '#modules/identity/contract.ts';
import { allPermissions, OPERATE } from '#platform/auth/permissions.ts';
import type { Principal } from '#platform/auth/principal.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { Problem } from '#platform/http/problem.ts';
import { apiClientProblems } from './api-client.problems.ts';

/**
 * Nobody can give away a permission that they do not hold. Whoever sets the roles of a client, or takes a new secret
 * of it, could then act as that client; so they must hold all that it holds.
 */
export async function requireMayGrant(
  tx: TenantTx,
  principal: Principal,
  roleIds: readonly string[],
): Promise<void> {
  const roles = roleIds.length === 0 ? [] : await findRoles(tx, roleIds);
  const unknown = roleIds.filter((id) => !roles.some((role) => role.id === id));
  if (unknown.length > 0) {
    throw new Problem(apiClientProblems['unknown-role'], {
      detail: `This workspace has no role ${unknown.join(', ')}.`,
      errors: { '/roles': unknown.map((id) => `${id} is not a role of this workspace`) },
    });
  }
  const everything = principal.isOfPlatform ? [...allPermissions, OPERATE] : allPermissions;
  const granted = roleIds.length === 0 ? everything : roles.flatMap((role) => role.permissions);
  const beyond = [...new Set(granted)].filter((permission) => !principal.permissions.has(permission));
  if (beyond.length > 0) {
    throw new Problem(apiClientProblems['beyond-own-permissions'], {
      detail: `You do not hold ${beyond.slice(0, 5).join(', ')}${beyond.length > 5 ? ` and ${beyond.length - 5} more` : ''}.`,
    });
  }
}
