-- Roles, tenants and what every later table stands on.
--
-- tenantry_app      the application connects as this; it owns nothing and sees one tenant at a time.
-- tenantry_across   work across tenants; nobody logs in as it, the application assumes it for one transaction.

do $$
begin
  if not exists (select from pg_roles where rolname = 'tenantry_app') then
    raise exception 'the role tenantry_app is missing'
      using hint = 'create role tenantry_app login noinherit password ''…'';';
  end if;
  begin
    create role tenantry_across nologin;
  exception when duplicate_object then null; -- roles belong to the whole cluster: another database made it
  end;
end
$$;

-- tenantry_app must not inherit this membership, or row security would see through it; see docs/adr/0003.
grant tenantry_across to tenantry_app;
grant tenantry_across to current_user;

revoke all on schema public from public;
grant usage on schema public to tenantry_app, tenantry_across;

-- Makes a table with a tenant_id one that only its own tenant can see. Every tenant table passes through here.
create function secure_tenant_table(target regclass, privileges text default 'select, insert, update, delete')
returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy own_tenant on %s to tenantry_app
       using (tenant_id = current_setting(''app.tenant_id'')::uuid)
       with check (tenant_id = current_setting(''app.tenant_id'')::uuid)', target);
  execute format('create policy across_tenants on %s to tenantry_across using (true) with check (true)', target);
  execute format('grant %s on %s to tenantry_app, tenantry_across', privileges, target);
end
$$;
revoke all on function secure_tenant_table from public;

-- What belongs to the installation as a whole: a proof of the instance key, and that the first start is done.
create table instance (
  only_row boolean primary key default true check (only_row),
  key_proof text not null,
  platform_tenant_id uuid not null,
  created_at timestamptz not null default now()
);
grant select, insert on instance to tenantry_across;
grant select on instance to tenantry_app;

create table tenant (
  id uuid primary key,
  name text not null,
  subdomain text not null unique,
  kind text not null check (kind in ('production', 'testing')),
  production_tenant_id uuid references tenant (id),
  is_platform boolean not null default false,
  status text not null default 'active' check (status in ('active', 'suspended')),
  tier text not null default 'standard' check (tier in ('standard', 'enterprise')),
  plan text not null,
  subscription_status text not null default 'active' check (subscription_status in ('trialing', 'active', 'pastDue', 'cancelled')),
  subscription_started_at timestamptz not null,
  trial_ends_at timestamptz,
  renews_at timestamptz,
  time_zone text not null default 'UTC',
  locale text not null default 'en',
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((kind = 'testing') = (production_tenant_id is not null))
);
-- One testing twin for each production tenant, and one platform tenant for each installation.
create unique index tenant_twin on tenant (production_tenant_id);
create unique index tenant_platform on tenant (is_platform) where is_platform;
create index tenant_by_created on tenant (created_at, id);
create index tenant_by_name on tenant (name, id);

alter table tenant enable row level security;
alter table tenant force row level security;
-- The tenant table is its own tenant: a row is visible to the workspace that it describes.
create policy own_tenant on tenant to tenantry_app using (id = current_setting('app.tenant_id')::uuid);
create policy across_tenants on tenant to tenantry_across using (true) with check (true);
grant select on tenant to tenantry_app;
grant select, insert, update on tenant to tenantry_across;

create table role (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid references tenant (id),
  id uuid not null,
  name text not null,
  name_key text generated always as (lower(name)) stored,
  description text,
  permissions text[] not null,
  is_built_in boolean not null default false,
  status text not null default 'active' check (status in ('active', 'inactive')),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, name_key)
);
create index role_by_id on role (id);
select secure_tenant_table('role');

create table person (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid references tenant (id),
  id uuid not null,
  email text not null,
  email_key text generated always as (lower(email)) stored,
  name text not null,
  password_hash text not null,
  must_change_password boolean not null default false,
  status text not null default 'active' check (status in ('active', 'disabled')),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, email_key)
);
create index person_by_id on person (id);
select secure_tenant_table('person');

create table person_role (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  person_id uuid not null,
  role_id uuid not null,
  primary key (tenant_id, person_id, role_id),
  foreign key (tenant_id, person_id) references person (tenant_id, id) on delete cascade,
  foreign key (tenant_id, role_id) references role (tenant_id, id)
);
create index person_role_by_role on person_role (tenant_id, role_id);
select secure_tenant_table('person_role');

create table api_client (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid references tenant (id),
  id uuid not null,
  client_id text not null,
  name text not null,
  status text not null default 'active' check (status in ('active', 'disabled', 'revoked')),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, client_id)
);
create index api_client_by_id on api_client (id);
create index api_client_by_client_id on api_client (client_id);
create index api_client_by_created on api_client (tenant_id, created_at, id);
create index api_client_by_name on api_client (tenant_id, name, id);
select secure_tenant_table('api_client');

create table api_client_secret (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  id uuid not null,
  api_client_id uuid not null,
  digest bytea not null,
  hint text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, api_client_id) references api_client (tenant_id, id) on delete cascade
);
create index api_client_secret_by_client on api_client_secret (tenant_id, api_client_id, created_at);
select secure_tenant_table('api_client_secret');

create table api_client_role (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  api_client_id uuid not null,
  role_id uuid not null,
  primary key (tenant_id, api_client_id, role_id),
  foreign key (tenant_id, api_client_id) references api_client (tenant_id, id) on delete cascade,
  foreign key (tenant_id, role_id) references role (tenant_id, id)
);
create index api_client_role_by_role on api_client_role (tenant_id, role_id);
select secure_tenant_table('api_client_role');

create table audit_log (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid references tenant (id),
  id uuid not null,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('client', 'person', 'system')),
  actor_id text not null,
  actor_name text not null,
  action text not null,
  resource_type text not null,
  resource_id text,
  before jsonb,
  after jsonb,
  reason text,
  ip_address text,
  trace_id text,
  primary key (tenant_id, id)
);
create index audit_log_by_time on audit_log (tenant_id, at, id);
select secure_tenant_table('audit_log', 'select, insert');

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

create table idempotency_record (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid references tenant (id),
  scope_digest bytea not null,
  request_digest bytea not null,
  reply bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, scope_digest)
);
create index idempotency_record_by_age on idempotency_record (created_at);
select secure_tenant_table('idempotency_record');

-- Keys that sign access tokens. The private half is encrypted with the instance key.
create table signing_key (
  id text primary key,
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  active_from timestamptz not null
);
grant select on signing_key to tenantry_app;
grant select, insert, delete on signing_key to tenantry_across;

-- The tables whose id may stand in a path, for telling another tenant's id from an unknown one.
create table path_resource (table_name text primary key);
insert into path_resource values ('tenant'), ('role'), ('person'), ('api_client');
grant select on path_resource to tenantry_app, tenantry_across;

grant create on schema public to tenantry_across;
set local role tenantry_across;

create function exists_in_other_tenant(resource text, sought uuid, own_tenant uuid) returns boolean
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  found boolean;
  tenant_column text := case resource when 'tenant' then 'id' else 'tenant_id' end;
begin
  if not exists (select from path_resource where table_name = resource) then
    raise exception '% is not a path resource', resource;
  end if;
  execute format('select exists (select from %I where id = $1 and %I <> $2)', resource, tenant_column)
    into found using sought, own_tenant;
  return found;
end
$$;

-- What a token is checked against: the client, its tenant and the permissions of its roles.
-- No roles means every permission of a tenant, told apart by null.
create function client_access(sought text)
returns table (
  tenant_id uuid, tenant_name text, tenant_kind text, tenant_status text, tier text, is_platform boolean,
  api_client_id uuid, client_name text, client_status text, permissions text[]
)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.tenant_id, t.name, t.kind, t.status, t.tier, t.is_platform, c.id, c.name, c.status,
    (select coalesce(array_agg(distinct p.permission), '{}')
       from api_client_role cr
       join role r on r.tenant_id = cr.tenant_id and r.id = cr.role_id and r.status = 'active'
       cross join unnest(r.permissions) as p (permission)
      where cr.tenant_id = c.tenant_id and cr.api_client_id = c.id
     having exists (select from api_client_role x where x.tenant_id = c.tenant_id and x.api_client_id = c.id))
  from api_client c join tenant t on t.id = c.tenant_id
  where c.client_id = sought
$$;

create function client_secrets(sought text)
returns table (tenant_id uuid, id uuid, digest bytea, expires_at timestamptz, last_used_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.tenant_id, s.id, s.digest, s.expires_at, s.last_used_at
  from api_client c join api_client_secret s on s.tenant_id = c.tenant_id and s.api_client_id = c.id
  where c.client_id = sought
$$;

revoke all on function exists_in_other_tenant, client_access, client_secrets from public;
grant execute on function exists_in_other_tenant, client_access, client_secrets to tenantry_app;
reset role;
revoke create on schema public from tenantry_across;
