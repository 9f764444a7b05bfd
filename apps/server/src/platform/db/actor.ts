/** Who does something, and from where: what the audit log tells of every write. */
export interface Actor {
  readonly kind: 'client' | 'person' | 'system';
  readonly id: string;
  readonly name: string;
  readonly ipAddress: string | null;
  readonly traceId: string | null;
}

/** The program itself, at work on its own account. */
export const systemActor = (task: string): Actor => ({
  kind: 'system',
  id: task,
  name: 'Tenantry',
  ipAddress: null,
  traceId: null,
});
