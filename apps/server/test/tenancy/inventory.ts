import type pg from 'pg';

/** Tables that belong to no tenant, each with the reason why it may. */
export const platformTables: Readonly<Record<string, string>> = {
  schema_migration: 'the state of the schema, the same for all',
  instance: 'one row about the installation',
  tenant: 'the tenants themselves: a row is its own tenant, by a policy on its id',
  signing_key: 'keys of the token issuer, which serves all tenants',
  path_resource: 'the list of tables whose id may stand in a path',
};

const OWN_TENANT = "(tenant_id = (current_setting('app.tenant_id'::text))::uuid)";
const DEFAULT_TENANT = "(current_setting('app.tenant_id'::text))::uuid";

interface Table {
  readonly name: string;
  readonly enabled: boolean;
  readonly forced: boolean;
  /** Null where there is no tenant_id. */
  readonly tenantType: string | null;
  readonly tenantRequired: boolean | null;
  readonly tenantDefault: string | null;
}

const TABLES = `
  select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
         format_type(a.atttypid, a.atttypmod) as "tenantType", a.attnotnull as "tenantRequired",
         pg_get_expr(d.adbin, d.adrelid) as "tenantDefault"
    from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'f')
   order by 1`;

const INDEXES = `
  select t.relname as "table", i.relname as name, x.indisprimary as "isPrimary", x.indisunique as "isUnique",
         x.indpred is not null as "isPartial",
         array(select coalesce(a.attname::text, '(expression)') from unnest(x.indkey) with ordinality k (n, place)
                 left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.n order by place) as columns
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
   where t.relnamespace = 'public'::regnamespace`;

/** Column by column, since a key of (tenant_id, x) may still refer to (id, tenant_id) crosswise. */
const FOREIGN_KEYS = `
  select c.conname as name, t.relname as "table", r.relname as target,
         array(select a.attname::text from unnest(c.conkey) with ordinality k (n, place)
                 join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by place) as columns,
         array(select a.attname::text from unnest(c.confkey) with ordinality k (n, place)
                 join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by place) as targets
    from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class r on r.oid = c.confrelid
   where c.contype = 'f' and t.relnamespace = 'public'::regnamespace`;

const POLICIES = `
  select tablename as "table", policyname as name, permissive, cmd, roles::text[], qual, with_check as "withCheck"
    from pg_policies where schemaname = 'public'`;

/** Views of a tenant table would be ways around its policies; none is in use. Nor is a sequence but for identity columns. */
const OTHER_RELATIONS = `
  select relname as name from pg_class c
   where relnamespace = 'public'::regnamespace and relkind in ('v', 'm', 'S')
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')`;

/** What the role of the searches is, may and owns. Nobody logs in as it or becomes it, and it reads what searches read. */
const SEARCH_ROLE = `
  select 'tenantry_search has an attribute that it does not need' as fault from pg_roles
   where rolname = 'tenantry_search'
     and (rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)
  union all
  select member::regrole || ' may become tenantry_search' from pg_auth_members
   where roleid = 'tenantry_search'::regrole and member <> 'tenantry_owner'::regrole
  union all
  select 'tenantry_search is a member of ' || roleid::regrole from pg_auth_members
   where member = 'tenantry_search'::regrole
  union all
  select 'tenantry_search may ' || privilege_type || ' ' || relname
    from pg_class, aclexplode(relacl)
   where grantee = 'tenantry_search'::regrole and not (privilege_type = 'SELECT' and relname = any($1))
  union all
  select 'tenantry_search may create in ' || nspname from pg_namespace
   where has_schema_privilege('tenantry_search', oid, 'create')
  union all
  select 'tenantry_search owns ' || relname from pg_class where relowner = 'tenantry_search'::regrole
  union all
  select proname || ' of tenantry_search is not as a search must be' from pg_proc
   where proowner = 'tenantry_search'::regrole
     and (not prosecdef or proname !~ '^search_' or provolatile = 'v' or proconfig is null
          or not 'search_path=public, pg_temp' = any(proconfig)
          or exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) a
                      where a.grantee not in ('tenantry_search'::regrole, 'tenantry_app'::regrole)))`;

/** What is wrong with the schema as far as tenants are concerned; nothing, one hopes. */
export async function tenancyFaults(client: pg.ClientBase): Promise<string[]> {
  const read = async <Row>(sql: string): Promise<Row[]> => (await client.query(sql)).rows as Row[];
  const tables = await read<Table>(TABLES);
  const indexes = await read<Index>(INDEXES);
  const foreignKeys = await read<ForeignKey>(FOREIGN_KEYS);
  const policies = await read<Policy>(POLICIES);
  const resources = (await read<{ name: string }>('select table_name as name from path_resource')).map(
    ({ name }) => name,
  );
  const isTenantTable = (name: string): boolean => !(name in platformTables);

  const known = new Set(tables.map(({ name }) => name));
  return [
    ...Object.keys(platformTables)
      .filter((name) => !known.has(name))
      .map((name) => `${name} is listed and missing`),
    ...(await read<{ name: string }>(OTHER_RELATIONS)).map(({ name }) => `${name} is no table`),
    ...tables.filter(({ name }) => isTenantTable(name)).flatMap(tableFaults),
    ...tables.filter(({ name }) => isTenantTable(name)).flatMap(({ name }) => keyFaults(name, indexes)),
    ...tables.filter(({ name }) => isTenantTable(name)).flatMap(({ name }) => policyFaults(name, policies)),
    ...foreignKeys
      .filter(({ table }) => isTenantTable(table))
      .flatMap((key) => foreignKeyFaults(key, isTenantTable)),
    ...resources.flatMap((name) => resourceFaults(name, known, indexes)),
    ...(await client.query(SEARCH_ROLE, [searchTables])).rows.map(({ fault }) => fault as string),
  ];
}

function tableFaults(table: Table): string[] {
  if (table.tenantType === null)
    return [`${table.name} has no tenant_id and is not listed as a platform table`];
  return [
    ...(table.tenantType === 'uuid' ? [] : [`${table.name}.tenant_id is not a uuid`]),
    ...(table.tenantRequired === true ? [] : [`${table.name}.tenant_id may be null`]),
    ...(table.tenantDefault === DEFAULT_TENANT
      ? []
      : [`${table.name}.tenant_id has not the tenant as its default`]),
    ...(table.enabled ? [] : [`${table.name} has no row security`]),
    ...(table.forced ? [] : [`${table.name} does not force row security`]),
  ];
}

interface Index {
  readonly table: string;
  readonly name: string;
  readonly isPrimary: boolean;
  readonly isUnique: boolean;
  readonly isPartial: boolean;
  readonly columns: readonly string[];
}

function keyFaults(table: string, indexes: readonly Index[]): string[] {
  const own = indexes.filter((index) => index.table === table);
  return [
    ...(own.some(({ isPrimary }) => isPrimary) ? [] : [`${table} has no primary key`]),
    ...own
      .filter(({ isUnique, columns }) => isUnique && columns[0] !== 'tenant_id')
      .map(({ name }) => `${table}: the unique index ${name} is not led by tenant_id`),
  ];
}

interface Policy {
  readonly table: string;
  readonly name: string;
  readonly permissive: string;
  readonly cmd: string;
  readonly roles: readonly string[];
  readonly qual: string | null;
  readonly withCheck: string | null;
}

/** Tables that a search function reads as a role of its own; it keeps to the tenant by itself and tells only ids. */
const searchTables: readonly string[] = ['product_search'];

const SEARCH_POLICY = {
  name: 'search',
  permissive: 'PERMISSIVE',
  cmd: 'SELECT',
  roles: ['tenantry_search'],
  qual: 'true',
  withCheck: null,
} as const;

const OWN_POLICIES = [
  {
    name: 'across_tenants',
    permissive: 'PERMISSIVE',
    cmd: 'ALL',
    roles: ['tenantry_across'],
    qual: 'true',
    withCheck: 'true',
  },
  {
    name: 'own_tenant',
    permissive: 'PERMISSIVE',
    cmd: 'ALL',
    roles: ['tenantry_app'],
    qual: OWN_TENANT,
    withCheck: OWN_TENANT,
  },
] as const;

function policyFaults(table: string, policies: readonly Policy[]): string[] {
  const own = policies.filter((policy) => policy.table === table).map(({ table: _, ...policy }) => policy);
  const expectedPolicies = searchTables.includes(table) ? [...OWN_POLICIES, SEARCH_POLICY] : OWN_POLICIES;
  const isExpected = (policy: Omit<Policy, 'table'>): boolean =>
    expectedPolicies.some((expected) =>
      Object.entries(expected).every(([key, value]) => String(policy[key as 'name']) === String(value)),
    );
  return [
    ...expectedPolicies
      .filter(({ name }) => !own.some((policy) => policy.name === name))
      .map(({ name }) => `${table} lacks the policy ${name}`),
    ...own
      .filter((policy) => !isExpected(policy))
      .map(({ name }) => `${table}: the policy ${name} is not as it must be`),
  ];
}

interface ForeignKey {
  readonly name: string;
  readonly table: string;
  readonly target: string;
  readonly columns: readonly string[];
  readonly targets: readonly string[];
}

function foreignKeyFaults(key: ForeignKey, isTenantTable: (name: string) => boolean): string[] {
  if (key.target === 'tenant') {
    return key.columns.join() === 'tenant_id'
      ? []
      : [`${key.table}: ${key.name} refers to a tenant by another column`];
  }
  if (!isTenantTable(key.target)) return [];
  return key.columns[0] === 'tenant_id' && key.targets[0] === 'tenant_id'
    ? []
    : [`${key.table}: the foreign key ${key.name} is not led by tenant_id`];
}

function resourceFaults(name: string, known: ReadonlySet<string>, indexes: readonly Index[]): string[] {
  if (!known.has(name)) return [`path_resource names ${name}, which is no table`];
  const isFound = indexes.some(
    (index) => index.table === name && !index.isPartial && index.columns.join() === 'id',
  );
  return isFound ? [] : [`${name} is a path resource without an index on (id)`];
}
