import { newId } from '#kernel/ids.ts';
import type { Actor } from './actor.ts';
import type { Statement } from './group-query.ts';
import { insertRows } from './write-rows.ts';

/** One change, told so that a person can follow it later. Never put a secret into `before` or `after`. */
export interface AuditEntry {
  /** `apiClient.created`, `tenant.suspended`: what happened, as `resource.pastParticiple`. */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string | null;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
}

const COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'resource_type',
  'resource_id',
  'before',
  'after',
  'reason',
  'ip_address',
  'trace_id',
] as const;
const insertOwn = insertRows('audit_log', COLUMNS);
const insertFor = insertRows('audit_log', [...COLUMNS, 'tenant_id']);

/** All entries of a transaction in one insert. `tenantId` is given only by work across tenants. */
export function auditInsert(
  entries: readonly AuditEntry[],
  actor: Actor,
  at: Date,
  tenantId?: string,
): Statement {
  const rows = entries.map((entry) => ({
    id: newId(),
    at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    action: entry.action,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    before: json(entry.before),
    after: json(entry.after),
    reason: entry.reason ?? null,
    ip_address: actor.ipAddress,
    trace_id: actor.traceId,
  }));
  if (tenantId === undefined) return insertOwn(rows);
  return insertFor(rows.map((row) => ({ ...row, tenant_id: tenantId })));
}

const json = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));
