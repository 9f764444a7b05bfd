import type { TSchema } from 'typebox';
import { DECIMAL_KEYWORD } from './formats.ts';
import type { Route } from './route.ts';

export type Json = Record<string, unknown>;

/**
 * The schemas that have a name: a resource by its title, and each body by its operation. They are listed once and
 * referred to, so that whoever generates a client gets one type of that name, and not a copy for each use.
 */
export class SchemaComponents {
  readonly schemas: Record<string, Json>;

  constructor(given: Readonly<Record<string, Json>>) {
    this.schemas = { ...given };
  }

  /** A reference to the schema, which is listed by its title or, without one, by the name given. */
  named(schema: TSchema, name: string): Json {
    const plain = this.plain(schema);
    return '$ref' in plain ? plain : this.#list(name, plain);
  }

  /** As it stands, without what only our own tools read, and with references to what has a name. */
  plain(schema: TSchema): Json {
    return this.#resolve(JSON.parse(JSON.stringify(schema))) as Json;
  }

  #resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#resolve(each));
    if (typeof value !== 'object' || value === null) return value;
    const { 'x-table': _table, [DECIMAL_KEYWORD]: _rule, ...rest } = value as Json;
    const plain: Json = Object.fromEntries(
      Object.entries(rest).map(([key, inner]) => [key, this.#resolve(inner)]),
    );
    const { title, type } = plain;
    return type === 'object' && typeof title === 'string' ? this.#list(title, plain) : plain;
  }

  #list(name: string, schema: Json): Json {
    const listed = this.schemas[name];
    if (listed !== undefined && JSON.stringify(listed) !== JSON.stringify(schema))
      throw new Error(`Two schemas are called ${name}.`);
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** `createTenant` as the beginning of the name of a type: `CreateTenant`. */
export const typeName = ({ operationId }: Route): string =>
  operationId.charAt(0).toUpperCase() + operationId.slice(1);
