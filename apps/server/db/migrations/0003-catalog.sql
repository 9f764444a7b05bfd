-- Products, their search index and their stock.

do $$
begin
  create role tenantry_search nologin;
exception when duplicate_object then null; -- roles belong to the whole cluster: another database made it
end
$$;
grant tenantry_search to current_user;

-- As domains and not as checks of the table: those are compiled anew for every insert, which was a tenth of its time.
create domain product_kind as text check (value in ('goods', 'service'));
create domain product_status as text check (value in ('active', 'archived'));
create domain stock_policy as text check (value in ('deny', 'allow'));
create domain movement_kind as text check (value in ('adjustment', 'sale', 'return', 'migration'));
create domain tax_category as text check (value in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O'));
create domain tax_rate as numeric check (value between 0 and 100);
-- Below 10^13 and of at most six decimals.
create domain unit_price as numeric check (value >= 0 and value < 1e13 and scale(value) <= 6);
create domain quantity as numeric check (abs(value) < 1e13 and scale(value) <= 6);

create table product (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  id uuid not null,
  sku text not null,
  -- Keys are what is compared and sorted: folded by the application, alike on every server whatever its locale.
  sku_key text collate "C" not null,
  name text not null,
  name_key text collate "C" not null,
  description text,
  kind product_kind not null,
  status product_status not null,
  unit text not null,
  -- Kept with the decimals that it is shown with.
  price unit_price not null,
  -- Sorted and filtered by this one, because no index serves a numeric under row security: millionths, less 5 * 10^18, so
  -- that all of 0 to 10^13 fits into a bigint. Written by the application, like every key here: a generated column is
  -- compiled anew for every insert.
  price_order bigint not null,
  currency text not null,
  tax_category tax_category not null,
  tax_rate tax_rate not null,
  barcode text,
  category text,
  category_key text collate "C",
  tags text[] not null,
  track_stock boolean not null,
  stock_policy stock_policy not null,
  stock_on_hand quantity not null default 0,
  in_stock boolean not null default false,
  reorder_point quantity,
  metadata jsonb not null,
  -- How many movements its ledger has; the next one takes the next number.
  movement_count integer not null default 0,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Hidden for good; the ledger and the audit log still refer to it.
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index product_by_id on product (id);
create unique index product_sku on product (tenant_id, sku_key) where deleted_at is null;
create index product_by_name on product (tenant_id, name_key, id) where deleted_at is null;
create index product_by_price on product (tenant_id, price_order, id) where deleted_at is null;
create index product_by_created on product (tenant_id, created_at, id) where deleted_at is null;
create index product_by_updated on product (tenant_id, updated_at, id) where deleted_at is null;
create index product_by_category on product (tenant_id, category_key, created_at, id) where deleted_at is null and category_key is not null;
create index product_by_status on product (tenant_id, status, created_at, id) where deleted_at is null;
create index product_by_kind on product (tenant_id, kind, created_at, id) where deleted_at is null;
create index product_by_stock on product (tenant_id, in_stock, created_at, id) where deleted_at is null;
select secure_tenant_table('product', 'select, insert, update');
insert into path_resource values ('product');

-- Made from the product and written with it, as is product_search; so neither has a foreign key, whose check locks the
-- product once more for each row. With the time that the product was made, which never changes: so the newest of a tag
-- are read in their order.
create table product_tag (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  tag_key text collate "C" not null,
  created_at timestamptz not null,
  product_id uuid not null,
  primary key (tenant_id, tag_key, created_at, product_id)
);
select secure_tenant_table('product_tag');

create table stock_movement (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  product_id uuid not null,
  number integer not null,
  id uuid not null,
  kind movement_kind not null,
  quantity quantity not null,
  balance quantity not null,
  reason text,
  reference text,
  invoice_id uuid,
  created_at timestamptz not null,
  primary key (tenant_id, product_id, number),
  foreign key (tenant_id, product_id) references product (tenant_id, id)
);
select secure_tenant_table('stock_movement', 'select, insert');

-- What a search looks at, apart from the product so that a change of stock leaves it alone. Every key is a hash of the
-- tenant and a piece of text: the lists of one tenant never grow with the rows of another.
create table product_search (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  product_id uuid not null,
  sku text not null,
  name text not null,
  barcode text not null,
  words text[] not null,
  keys integer[] not null,
  primary key (tenant_id, product_id)
);
-- New keys wait in a list until there are 256 kB of them. Without it an insert took 1.1 ms instead of 0.3; with the
-- usual 4 MB every search read up to 4 ms of other people's new products.
create index product_search_keys on product_search using gin (keys) with (gin_pending_list_limit = 256);
select secure_tenant_table('product_search');
create policy search on product_search for select to tenantry_search using (true);
grant select on product_search to tenantry_search;
grant usage, create on schema public to tenantry_search;

set local role tenantry_search;

-- Under row security no index serves @>, because it is not leakproof. So the search runs as a role of its own, keeps to
-- the tenant by itself and tells nothing but ids, which are then read under row security.
--
-- An alternative is a set of keys that must all be there. A term has to be a part of sku, name or barcode, or all its
-- words have to be words of the description; since keys are hashes, that is looked at once more here.
create function search_products(alternatives text[], terms text[], term_words text[], phrase text)
returns table (product_id uuid, rank integer)
language plpgsql stable security definer rows 50
set search_path = public, pg_temp set enable_seqscan = off as $$
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
$$;
revoke all on function search_products from public;
grant execute on function search_products to tenantry_app;

reset role;
revoke create on schema public from tenantry_search;
