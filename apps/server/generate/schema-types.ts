import type pg from 'pg';

/** How a PostgreSQL type reaches the program (see row-shape.ts for how it is read). */
const TYPES: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'bigint',
  json: 'Json',
  jsonb: 'Json',
  numeric: 'string',
  text: 'string',
  timestamptz: 'Timestamp',
  uuid: 'string',
  _int4: 'number[]',
  _text: 'string[]',
  _uuid: 'string[]',
};

const HEADER = `// Generated from db/migrations by \`npm run generate\`. Do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

type Json = ColumnType<unknown, string | null, string | null>;
type Timestamp = ColumnType<Date, Date | string, Date | string>;
`;

interface Column {
  table_name: string;
  column_name: string;
  udt_name: string;
  nullable: boolean;
  has_default: boolean;
  computed: boolean;
}

/** The interface that Kysely checks every query against. */
export async function schemaTypes(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Column>(`
    select c.table_name, c.column_name, c.udt_name, c.is_nullable = 'YES' as nullable,
           c.column_default is not null as has_default, c.is_generated = 'ALWAYS' or c.is_identity = 'YES' as computed
      from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name <> 'schema_migration'
     order by c.table_name, c.ordinal_position`);
  const tables = Map.groupBy(rows, (row) => row.table_name);
  const interfaces = [...tables].map(
    ([table, columns]) =>
      `interface ${pascal(table)} {\n${columns.map((column) => `  ${column.column_name}: ${typeOf(column)};`).join('\n')}\n}\n`,
  );
  const index = [...tables.keys()].map((table) => `  ${table}: ${pascal(table)};`).join('\n');
  return `${HEADER}\n${interfaces.join('\n')}\nexport interface DB {\n${index}\n}\n`;
}

function typeOf(column: Column): string {
  const base = TYPES[column.udt_name];
  if (base === undefined)
    throw new Error(`${column.table_name}.${column.column_name}: no type for ${column.udt_name}`);
  const whole = column.nullable ? `${base} | null` : base;
  if (column.computed) return `GeneratedAlways<${whole}>`;
  return column.has_default ? `Generated<${whole}>` : whole;
}

const pascal = (name: string): string =>
  name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
