import { createRequire } from 'node:module';

const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  prepareValue: (value: unknown) => unknown;
};

/** A value as pg sends it. A time pg writes with the offset of the machine, which takes longer and says the same. */
export const wireValue = (value: unknown): unknown =>
  value instanceof Date ? value.toISOString() : prepareValue(value);
