import type pg from 'pg';

const HEADER =
  '-- Generated from db/migrations by `npm run generate`. Do not edit. Shows the schema as it stands.\n';

/** A readable picture of the whole schema, so that a review sees what a migration does to it. */
export async function schemaSql(client: pg.Client): Promise<string> {
  const lines = async (sql: string): Promise<string[]> =>
    (await client.query<{ line: string }>(sql)).rows.map((row) => row.line);
  const tables = await client.query<{ oid: number; name: string; secured: string }>(`
    select c.oid, c.relname as name,
           case when relrowsecurity and relforcerowsecurity then ' -- row security forced' else '' end as secured
      from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`);
  const parts = [HEADER];
  for (const { oid, name, secured } of tables.rows) {
    const columns = await lines(`
      select '  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ||
             case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
                  when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end ||
             case when a.attnotnull then ' not null' else '' end as line
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = ${oid} and a.attnum > 0 and not a.attisdropped order by a.attnum`);
    const constraints = await lines(`
      select '  constraint ' || conname || ' ' || pg_get_constraintdef(oid) as line
        from pg_constraint where conrelid = ${oid} and contype <> 'n' order by contype, conname`);
    const rest = await lines(`
      select line from (
        select 1 as part, pg_get_indexdef(indexrelid) || ';' as line from pg_index
         where indrelid = ${oid} and not exists (select from pg_constraint where conindid = indexrelid and conrelid = ${oid})
        union all
        select 2, 'create policy ' || polname || ' to ' || polroles::regrole[]::text || ' using (' ||
               coalesce(pg_get_expr(polqual, polrelid), '') || ');' from pg_policy where polrelid = ${oid}
        union all
        select 3, 'grant ' || string_agg(lower(privilege_type), ', ' order by privilege_type) || ' to ' || grantee || ';'
          from information_schema.role_table_grants
         where table_schema = 'public' and table_name = '${name}' and grantee like 'tenantry\\_%' and grantee <> grantor
         group by grantee
        union all
        select 4, pg_get_triggerdef(oid) || ';' from pg_trigger where tgrelid = ${oid} and not tgisinternal
      ) as x order by part, line`);
    parts.push(
      `create table ${name} (${secured}\n${[...columns, ...constraints].join(',\n')}\n);\n${rest.join('\n')}\n`,
    );
  }
  parts.push(
    ...(await lines(`
      select pg_get_functiondef(p.oid) || '-- owner ' || r.rolname as line
        from pg_proc p join pg_roles r on r.oid = p.proowner
       where pronamespace = 'public'::regnamespace
         and not exists (select from pg_depend where objid = p.oid and deptype = 'e') order by proname`)),
  );
  return `${parts.join('\n')}\n`;
}
