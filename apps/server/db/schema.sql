-- Generated from db/migrations by `npm run generate`. Do not edit. Shows the schema as it stands.

create table api_client ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  id uuid not null,
  client_id text not null,
  name text not null,
  status text default 'active'::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint api_client_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'revoked'::text]))),
  constraint api_client_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id),
  constraint api_client_pkey PRIMARY KEY (tenant_id, id),
  constraint api_client_tenant_id_client_id_key UNIQUE (tenant_id, client_id)
);
CREATE INDEX api_client_by_client_id ON public.api_client USING btree (client_id);
CREATE INDEX api_client_by_created ON public.api_client USING btree (tenant_id, created_at, id);
CREATE INDEX api_client_by_id ON public.api_client USING btree (id);
CREATE INDEX api_client_by_name ON public.api_client USING btree (tenant_id, name, id);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table api_client_role ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  api_client_id uuid not null,
  role_id uuid not null,
  constraint api_client_role_tenant_id_api_client_id_fkey FOREIGN KEY (tenant_id, api_client_id) REFERENCES api_client(tenant_id, id) ON DELETE CASCADE,
  constraint api_client_role_tenant_id_role_id_fkey FOREIGN KEY (tenant_id, role_id) REFERENCES role(tenant_id, id),
  constraint api_client_role_pkey PRIMARY KEY (tenant_id, api_client_id, role_id)
);
CREATE INDEX api_client_role_by_role ON public.api_client_role USING btree (tenant_id, role_id);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table api_client_secret ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  id uuid not null,
  api_client_id uuid not null,
  digest bytea not null,
  hint text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_client_secret_tenant_id_api_client_id_fkey FOREIGN KEY (tenant_id, api_client_id) REFERENCES api_client(tenant_id, id) ON DELETE CASCADE,
  constraint api_client_secret_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX api_client_secret_by_client ON public.api_client_secret USING btree (tenant_id, api_client_id, created_at);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table audit_log ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  id uuid not null,
  at timestamp with time zone not null,
  actor_kind actor_kind not null,
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
  constraint audit_log_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX audit_log_by_time ON public.audit_log USING btree (tenant_id, at, id);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant insert, select to tenantry_across;
grant insert, select to tenantry_app;
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table idempotency_record ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  scope_digest bytea not null,
  request_digest bytea not null,
  reply bytea not null,
  created_at timestamp with time zone not null,
  constraint idempotency_record_pkey PRIMARY KEY (tenant_id, scope_digest)
);
CREATE INDEX idempotency_record_by_age ON public.idempotency_record USING btree (created_at);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table instance (
  only_row boolean default true not null,
  key_proof text not null,
  platform_tenant_id uuid not null,
  created_at timestamp with time zone default now() not null,
  constraint instance_only_row_check CHECK (only_row),
  constraint instance_pkey PRIMARY KEY (only_row)
);
grant insert, select to tenantry_across;
grant select to tenantry_app;

create table kept_count ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  name text not null,
  slot smallint not null,
  count bigint not null,
  constraint kept_count_pkey PRIMARY KEY (tenant_id, name, slot)
);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table outbox_event ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  id uuid not null,
  number bigint not null,
  type text not null,
  resource_id uuid not null,
  data json not null,
  occurred_at timestamp with time zone not null,
  constraint outbox_event_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX outbox_event_by_number ON public.outbox_event USING btree (number);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select to tenantry_across;
grant insert, select to tenantry_app;

create table path_resource (
  table_name text not null,
  constraint path_resource_pkey PRIMARY KEY (table_name)
);
grant select to tenantry_across;
grant select to tenantry_app;

create table person ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  id uuid not null,
  email text not null,
  email_key text generated always as (lower(email)) stored,
  name text not null,
  password_hash text not null,
  must_change_password boolean default false not null,
  status text default 'active'::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint person_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint person_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id),
  constraint person_pkey PRIMARY KEY (tenant_id, id),
  constraint person_tenant_id_email_key_key UNIQUE (tenant_id, email_key)
);
CREATE INDEX person_by_id ON public.person USING btree (id);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table person_role ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  person_id uuid not null,
  role_id uuid not null,
  constraint person_role_tenant_id_person_id_fkey FOREIGN KEY (tenant_id, person_id) REFERENCES person(tenant_id, id) ON DELETE CASCADE,
  constraint person_role_tenant_id_role_id_fkey FOREIGN KEY (tenant_id, role_id) REFERENCES role(tenant_id, id),
  constraint person_role_pkey PRIMARY KEY (tenant_id, person_id, role_id)
);
CREATE INDEX person_role_by_role ON public.person_role USING btree (tenant_id, role_id);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table product ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  id uuid not null,
  sku text not null,
  sku_key text not null,
  name text not null,
  name_key text not null,
  description text,
  kind product_kind not null,
  status product_status not null,
  unit text not null,
  price unit_price not null,
  price_order bigint not null,
  currency text not null,
  tax_category tax_category not null,
  tax_rate tax_rate not null,
  barcode text,
  category text,
  category_key text,
  tags text[] not null,
  track_stock boolean not null,
  stock_policy stock_policy not null,
  stock_on_hand quantity default 0 not null,
  in_stock boolean default false not null,
  reorder_point quantity,
  metadata jsonb not null,
  movement_count integer default 0 not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint product_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX product_by_category ON public.product USING btree (tenant_id, category_key, created_at, id) WHERE ((deleted_at IS NULL) AND (category_key IS NOT NULL));
CREATE INDEX product_by_created ON public.product USING btree (tenant_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX product_by_id ON public.product USING btree (id);
CREATE INDEX product_by_kind ON public.product USING btree (tenant_id, kind, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX product_by_name ON public.product USING btree (tenant_id, name_key, id) WHERE (deleted_at IS NULL);
CREATE INDEX product_by_price ON public.product USING btree (tenant_id, price_order, id) WHERE (deleted_at IS NULL);
CREATE INDEX product_by_status ON public.product USING btree (tenant_id, status, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX product_by_stock ON public.product USING btree (tenant_id, in_stock, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX product_by_updated ON public.product USING btree (tenant_id, updated_at, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX product_sku ON public.product USING btree (tenant_id, sku_key) WHERE (deleted_at IS NULL);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant insert, select, update to tenantry_across;
grant insert, select, update to tenantry_app;

create table product_search ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  product_id uuid not null,
  sku text not null,
  name text not null,
  barcode text not null,
  words text[] not null,
  keys integer[] not null,
  constraint product_search_pkey PRIMARY KEY (tenant_id, product_id)
);
CREATE INDEX product_search_keys ON public.product_search USING gin (keys) WITH (gin_pending_list_limit='256');
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
create policy search to {tenantry_search} using (true);
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;
grant select to tenantry_search;

create table product_tag ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  tag_key text not null,
  created_at timestamp with time zone not null,
  product_id uuid not null,
  constraint product_tag_pkey PRIMARY KEY (tenant_id, tag_key, created_at, product_id)
);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table role ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  id uuid not null,
  name text not null,
  name_key text generated always as (lower(name)) stored,
  description text,
  permissions text[] not null,
  is_built_in boolean default false not null,
  status text default 'active'::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint role_status_check CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text]))),
  constraint role_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id),
  constraint role_pkey PRIMARY KEY (tenant_id, id),
  constraint role_tenant_id_name_key_key UNIQUE (tenant_id, name_key)
);
CREATE INDEX role_by_id ON public.role USING btree (id);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant delete, insert, select, update to tenantry_across;
grant delete, insert, select, update to tenantry_app;

create table schema_migration (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migration_pkey PRIMARY KEY (version)
);
grant select to tenantry_app;

create table signing_key (
  id text not null,
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  active_from timestamp with time zone not null,
  constraint signing_key_pkey PRIMARY KEY (id)
);
grant delete, insert, select to tenantry_across;
grant select to tenantry_app;

create table stock_movement ( -- row security forced
  tenant_id uuid default (current_setting('app.tenant_id'::text))::uuid not null,
  product_id uuid not null,
  number integer not null,
  id uuid not null,
  kind movement_kind not null,
  quantity quantity not null,
  balance quantity not null,
  reason text,
  reference text,
  invoice_id uuid,
  created_at timestamp with time zone not null,
  constraint stock_movement_tenant_id_product_id_fkey FOREIGN KEY (tenant_id, product_id) REFERENCES product(tenant_id, id),
  constraint stock_movement_pkey PRIMARY KEY (tenant_id, product_id, number)
);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((tenant_id = (current_setting('app.tenant_id'::text))::uuid));
grant insert, select to tenantry_across;
grant insert, select to tenantry_app;

create table tenant ( -- row security forced
  id uuid not null,
  name text not null,
  subdomain text not null,
  kind text not null,
  production_tenant_id uuid,
  is_platform boolean default false not null,
  status text default 'active'::text not null,
  tier text default 'standard'::text not null,
  plan text not null,
  subscription_status text default 'active'::text not null,
  subscription_started_at timestamp with time zone not null,
  trial_ends_at timestamp with time zone,
  renews_at timestamp with time zone,
  time_zone text default 'UTC'::text not null,
  locale text default 'en'::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint tenant_check CHECK (((kind = 'testing'::text) = (production_tenant_id IS NOT NULL))),
  constraint tenant_kind_check CHECK ((kind = ANY (ARRAY['production'::text, 'testing'::text]))),
  constraint tenant_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text]))),
  constraint tenant_subscription_status_check CHECK ((subscription_status = ANY (ARRAY['trialing'::text, 'active'::text, 'pastDue'::text, 'cancelled'::text]))),
  constraint tenant_tier_check CHECK ((tier = ANY (ARRAY['standard'::text, 'enterprise'::text]))),
  constraint tenant_production_tenant_id_fkey FOREIGN KEY (production_tenant_id) REFERENCES tenant(id),
  constraint tenant_pkey PRIMARY KEY (id),
  constraint tenant_subdomain_key UNIQUE (subdomain)
);
CREATE INDEX tenant_by_created ON public.tenant USING btree (created_at, id);
CREATE INDEX tenant_by_name ON public.tenant USING btree (name, id);
CREATE UNIQUE INDEX tenant_platform ON public.tenant USING btree (is_platform) WHERE is_platform;
CREATE UNIQUE INDEX tenant_twin ON public.tenant USING btree (production_tenant_id);
create policy across_tenants to {tenantry_across} using (true);
create policy own_tenant to {tenantry_app} using ((id = (current_setting('app.tenant_id'::text))::uuid));
grant insert, select, update to tenantry_across;
grant select to tenantry_app;

CREATE OR REPLACE FUNCTION public.client_access(sought text)
 RETURNS TABLE(tenant_id uuid, tenant_name text, tenant_kind text, tenant_status text, tier text, is_platform boolean, api_client_id uuid, client_name text, client_status text, permissions text[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select c.tenant_id, t.name, t.kind, t.status, t.tier, t.is_platform, c.id, c.name, c.status,
    (select coalesce(array_agg(distinct p.permission), '{}')
       from api_client_role cr
       join role r on r.tenant_id = cr.tenant_id and r.id = cr.role_id and r.status = 'active'
       cross join unnest(r.permissions) as p (permission)
      where cr.tenant_id = c.tenant_id and cr.api_client_id = c.id
     having exists (select from api_client_role x where x.tenant_id = c.tenant_id and x.api_client_id = c.id))
  from api_client c join tenant t on t.id = c.tenant_id
  where c.client_id = sought
$function$
-- owner tenantry_across
CREATE OR REPLACE FUNCTION public.client_secrets(sought text)
 RETURNS TABLE(tenant_id uuid, id uuid, digest bytea, expires_at timestamp with time zone, last_used_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select s.tenant_id, s.id, s.digest, s.expires_at, s.last_used_at
  from api_client c join api_client_secret s on s.tenant_id = c.tenant_id and s.api_client_id = c.id
  where c.client_id = sought
$function$
-- owner tenantry_across
CREATE OR REPLACE FUNCTION public.exists_in_other_tenant(resource text, sought uuid, own_tenant uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$
-- owner tenantry_across
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$function$
-- owner tenantry_owner
CREATE OR REPLACE FUNCTION public.search_products(alternatives text[], terms text[], term_words text[], phrase text)
 RETURNS TABLE(product_id uuid, rank integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 50
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  return query
  select s.product_id, max(case
      when phrase in (s.sku, s.barcode) then 100
      when s.name = phrase then 90
      when starts_with(s.sku, phrase) or starts_with(s.barcode, phrase) then 80
      when starts_with(s.name, phrase) then 70
      when position(' ' || phrase in s.name) > 0 then 60
      when position(phrase in s.name) > 0 then 50
      when position(phrase in s.sku) > 0 or position(phrase in s.barcode) > 0 then 40
      when (select bool_and(position(t.term in s.name) > 0) from unnest(terms) as t (term)) then 30
      when (select bool_or(position(t.term in s.sku || ' ' || s.name) > 0) from unnest(terms) as t (term)) then 20
      else 10
    end)
  from unnest(alternatives) as alternative (keys)
  join product_search s on s.keys @> alternative.keys::integer[]
  -- "is true" keeps the planner from gathering the whole tenant by its key, which it does while it knows no better.
  where (s.tenant_id = current_setting('app.tenant_id')::uuid) is true
    and (select bool_and(position(t.term in s.sku) > 0 or position(t.term in s.name) > 0
                         or position(t.term in s.barcode) > 0 or coalesce(s.words @> t.words::text[], false))
           from unnest(terms, term_words) as t (term, words))
  group by s.product_id;
end
$function$
-- owner tenantry_search
CREATE OR REPLACE FUNCTION public.secure_tenant_table(target regclass, privileges text DEFAULT 'select, insert, update, delete'::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$
-- owner tenantry_owner
