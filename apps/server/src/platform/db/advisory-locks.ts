/** Every advisory lock with a fixed number, in one place so that no two are the same. */
export const advisoryLocks = {
  /** Nodes that start together migrate one after the other. */
  migration: 7_352_001,
  /** One node rotates the signing keys. */
  keyRotation: 7_352_002,
  /** One server to an embedded database, held as long as it runs. */
  dataDirectory: 7_352_003,
  /** One node sets an empty database up. */
  firstRun: 7_352_004,
} as const;
