import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import type { DecimalRule } from '#kernel/decimal.ts';
import { DECIMAL_KEYWORD } from './formats.ts';

/** An object that takes no field which it does not name. With a title, OpenAPI lists it among its components. */
export const Strict = <P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string } = {},
): TObject<P> => Type.Object(properties, { additionalProperties: false, ...options });

/** `type: [x, "null"]`, which serializes faster and reads better than an anyOf. */
export function Nullable<T extends TSchema>(schema: T) {
  const {
    type,
    title,
    enum: values,
  } = schema as {
    type?: string | string[];
    title?: string;
    enum?: unknown[];
  };
  // One with a title is referred to by it, so it must stay as it is.
  if (type === undefined || title !== undefined)
    return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [type, 'null'].flat(),
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
}

export const OneOf = <const T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: T[number] } = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options });

export const Uuid = (description?: string) =>
  Type.String({ format: 'uuid', ...(description === undefined ? {} : { description }) });

/** The id of a row of a tenant table. The generated rival test takes the table's name from here. */
export const IdOf = (table: string, description: string) =>
  Type.Unsafe<string>({ type: 'string', format: 'uuid', description, 'x-table': table });

export const Timestamp = (description?: string) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'date-time',
    ...(description === undefined ? {} : { description }),
  });

export const Text = (maxLength: number, description?: string) =>
  Type.String({
    maxLength,
    pattern: '\\S',
    ...(description === undefined ? {} : { description }),
  });

/** Text on a single line: a name, a code, a label. */
export const Line = (maxLength: number, description?: string) =>
  Type.String({
    maxLength,
    pattern: '\\S',
    format: 'line',
    ...(description === undefined ? {} : { description }),
  });

/** An exact decimal as callers send it: a string, or a number of at most 15 significant digits. */
export const DecimalInput = (rule: DecimalRule, description: string) =>
  Type.Unsafe<string | number>({ type: ['string', 'number'], [DECIMAL_KEYWORD]: rule, description });

/** An exact decimal as we show it. */
export const DecimalText = (description: string) =>
  Type.Unsafe<string>({ type: 'string', format: 'decimal', description });

/** The longest text that is neither a name nor a description. */
export const TEXT_LENGTH = 500;

/** The longest name of anything. */
export const NAME_LENGTH = 200;
