export interface ClientSecret {
  readonly id: string;
  readonly hint: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const isLive = (secret: ClientSecret, now: Date): boolean =>
  secret.expiresAt === null || secret.expiresAt > now;

interface Rotation {
  /** The one in use until now, which lives on until the grace period ends. */
  readonly expiring: ClientSecret | undefined;
  /** Removed at once: expired ones, and what would be a third live secret. */
  readonly removed: readonly ClientSecret[];
}

/** At most two secrets are live: the new one and, for the grace period, the newest of the old. */
export function planRotation(secrets: readonly ClientSecret[], now: Date, graceSeconds: number): Rotation {
  const newestFirst = secrets.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const [kept] = graceSeconds === 0 ? [] : newestFirst.filter((secret) => isLive(secret, now));
  const removed = secrets.filter((secret) => secret !== kept);
  if (kept === undefined) return { expiring: undefined, removed };
  const graceEnds = new Date(now.getTime() + graceSeconds * 1000);
  const expiresAt = kept.expiresAt !== null && kept.expiresAt < graceEnds ? kept.expiresAt : graceEnds;
  return { expiring: { ...kept, expiresAt }, removed };
}
