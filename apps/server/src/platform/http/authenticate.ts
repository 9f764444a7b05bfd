import type { AccessTokens } from '#platform/auth/access-token.ts';
import { invalidToken } from '#platform/auth/access-token.ts';
import type { ClientAccessCache } from '#platform/auth/client-access.ts';
import type { Principal } from '#platform/auth/principal.ts';
import { commonProblems } from './common.problems.ts';
import { Problem } from './problem.ts';

export interface Authenticator {
  readonly tokens: AccessTokens;
  readonly clients: ClientAccessCache;
}

const BEARER = /^Bearer +([\w~+/.-]+=*)$/i;

/** Who sent this? Everything about the token, its client and its tenant is checked, from memory when it is known. */
export async function authenticate(
  parts: Authenticator,
  authorization: string | undefined,
): Promise<Principal> {
  if (authorization === undefined) {
    throw new Problem(commonProblems.unauthenticated, {
      detail: 'The request carries no Authorization header.',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw invalidToken('The Authorization header is not of the form "Bearer <token>".');

  const verified = parts.tokens.verify(token);
  const claims = verified instanceof Promise ? await verified : verified;
  const found = parts.clients.find(claims.clientId);
  const access = found instanceof Promise ? await found : found;

  if (access === undefined || !access.isActive || access.principal.tenantId !== claims.tenantId) {
    throw invalidToken('The API client of the token is no longer active.');
  }
  if (!claims.hasScope) {
    throw new Problem(commonProblems['insufficient-scope'], {
      detail: 'The token lacks the scope api.',
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="api"' },
    });
  }
  if (!access.isTenantActive) {
    throw new Problem(commonProblems['tenant-suspended'], {
      detail: 'The workspace of the token is suspended.',
    });
  }
  return access.principal;
}
