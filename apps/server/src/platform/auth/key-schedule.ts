/** A signing key, as far as time matters. It signs from `activeFrom` until a newer one does. */
export interface ScheduledKey {
  readonly id: string;
  readonly activeFrom: Date;
}

export interface RotationRules {
  readonly periodMs: number;
  /** How long a key is published before it signs, so that every verifier knows it by then. */
  readonly leadMs: number;
  readonly tokenLifetimeMs: number;
}

interface KeyPlan<Key> {
  readonly current: Key | undefined;
  /** What verifiers may still, or soon, need. */
  readonly published: readonly Key[];
  /** Retired so long ago that the last token it signed has expired. */
  readonly expired: readonly Key[];
  /** When a new key should begin to sign, if one must be made now. */
  readonly makeNextFrom: Date | undefined;
}

/** Which key signs, which are published, and whether it is time for a new one. Keys go next, current, retired. */
export function planKeys<Key extends ScheduledKey>(
  keys: readonly Key[],
  now: Date,
  rules: RotationRules,
): KeyPlan<Key> {
  const byAge = [...keys].sort((a, b) => b.activeFrom.getTime() - a.activeFrom.getTime());
  const currentIndex = byAge.findIndex((key) => key.activeFrom <= now);
  const current = byAge[currentIndex];
  if (current === undefined) return { current, published: byAge, expired: [], makeNextFrom: now };

  const isExpired = (key: Key): boolean => {
    const successor = byAge[byAge.indexOf(key) - 1];
    return successor !== undefined && successor.activeFrom.getTime() + rules.tokenLifetimeMs <= now.getTime();
  };
  const dueAt = current.activeFrom.getTime() + rules.periodMs - rules.leadMs;
  const isDue = currentIndex === 0 && now.getTime() >= dueAt;
  return {
    current,
    published: byAge.filter((key) => !isExpired(key)),
    expired: byAge.filter(isExpired),
    makeNextFrom: isDue ? new Date(now.getTime() + rules.leadMs) : undefined,
  };
}
