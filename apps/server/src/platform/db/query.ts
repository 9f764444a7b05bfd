import { createHash } from 'node:crypto';
import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { ResultSet, Statement } from './group-query.ts';
import type { DB } from './schema.ts';

/**
 * Builds queries and can run none: it has no connection. A query runs only when handed to a TenantTx, a TenantReader
 * or one of the audited doors, all of which know their tenant. That is the first of the four locks.
 */
export const query = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** A query ready to be sent; `Row` is what each of its rows looks like. */
export interface ReadyQuery<Row> extends Statement {
  readonly row?: Row;
}

export type AnyQuery<Row> = Compilable<Row> | ReadyQuery<Row>;

/** A query written as SQL, where the builder would hide what it says. */
export const written = <Row>(text: RawBuilder<Row>): Compilable<Row> => ({
  compile: () => text.compile(query),
});

/** All of these must hold. */
export const where = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;

/** Several queries in one round trip, in this order; the rows of each. */
export type Batch = <Rows extends readonly unknown[]>(
  queries: readonly [...{ [I in keyof Rows]: AnyQuery<Rows[I]> }],
) => Promise<{ -readonly [I in keyof Rows]: Rows[I][] }>;

/** The rows of a query are what its type says: so it is built, and nothing looks at them once more. */
export const batchOver =
  (run: (statements: readonly Statement[]) => Promise<ResultSet[]>): Batch =>
  async (queries) =>
    (await run(queries.map(ready))).map(({ rows }) => rows) as never;

export const ready = <Row>(asked: AnyQuery<Row>): Statement => {
  if (!('compile' in asked)) return asked;
  const { sql: text, parameters: values }: CompiledQuery = asked.compile();
  return { text, values };
};

class Placeholder {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }
}

/**
 * Compiles a query once, for the places that run it on every request: building it anew costs about a fifth of a read.
 * The statement is prepared on each connection under a name made from its text.
 *
 *     const roleById = prepared((arg: { id: string }) => query.selectFrom('role').selectAll().where('id', '=', arg.id));
 *     await reader.first(roleById({ id }));
 */
export function prepared<Args extends Record<string, unknown>, Row>(
  build: (args: Args) => Compilable<Row>,
): (args: Args) => ReadyQuery<Row> {
  let plan: { text: string; name: string; slots: (string | { fixed: unknown })[] } | undefined;
  return (args) => {
    if (plan === undefined) {
      const stand = new Proxy({}, { get: (_, key) => new Placeholder(String(key)) }) as Args;
      const { sql: text, parameters } = build(stand).compile();
      const slots = parameters.map((value) => (value instanceof Placeholder ? value.key : { fixed: value }));
      plan = { text, name: nameOf(text), slots };
    }
    const values = plan.slots.map((slot) => (typeof slot === 'string' ? args[slot] : slot.fixed));
    return { text: plan.text, name: plan.name, values };
  };
}

/** So many shapes are compiled at most, before it begins anew: callers choose among them. */
const SHAPES_MAX = 500;

/**
 * The same for a query that comes in several shapes, such as a list that may be sorted and filtered. Each shape is
 * compiled when it is first asked for.
 */
export function preparedShapes<Shape, Args extends Record<string, unknown>, Row>(
  build: (shape: Shape, args: Args) => Compilable<Row>,
): (shape: Shape, args: Args) => ReadyQuery<Row> {
  const known = new Map<string, (args: Args) => ReadyQuery<Row>>();
  return (shape, args) => {
    const key = JSON.stringify(shape);
    let ask = known.get(key);
    if (ask === undefined) {
      if (known.size === SHAPES_MAX) known.clear();
      ask = prepared((placeholders: Args) => build(shape, placeholders));
      known.set(key, ask);
    }
    return ask(args);
  };
}

/** Planned for its very values each time, where one plan for all would do badly: a rare filter and a common one. */
export const unnamed = <Row>({ text, values }: ReadyQuery<Row>): ReadyQuery<Row> => ({ text, values });

/** The same for a statement written as SQL. */
export function preparedSql<Row>(text: string): (...values: unknown[]) => ReadyQuery<Row> {
  const name = nameOf(text);
  return (...values) => ({ text, name, values });
}

const nameOf = (text: string): string => `q${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;

/** A pattern for LIKE that finds the text anywhere, its own wildcards taken literally. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
