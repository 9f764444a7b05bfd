import type { Actor } from '#platform/db/actor.ts';

/** Whoever sent the request, as far as the service needs to know. Everything in it has been checked. */
export interface Principal {
  readonly kind: 'client' | 'person';
  /** The id of the API client or the person. */
  readonly id: string;
  readonly name: string;
  readonly tenantId: string;
  readonly tier: 'standard' | 'enterprise';
  /** What a limit is counted on: the client id of the token. */
  readonly limitKey: string;
  readonly permissions: ReadonlySet<string>;
  /** Of the platform tenant, where holding everything includes operating the platform. */
  readonly isOfPlatform: boolean;
  /** A principal of the platform tenant that may operate the platform. */
  readonly isOperator: boolean;
}

export const actorOf = (principal: Principal, ipAddress: string, traceId: string): Actor => ({
  kind: principal.kind,
  id: principal.id,
  name: principal.name,
  ipAddress,
  traceId,
});
