-- What every module that changes something stands on: events for others to hear of, and counts that cost nothing to ask.

-- Written in the transaction of the change, delivered by whoever comes after the commit. The number is drawn while the
-- changed resource is locked, so the events of one resource are numbered in the order of their commits.
create table outbox_event (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  id uuid not null,
  number bigint generated always as identity,
  type text not null,
  resource_id uuid not null,
  data json not null,
  occurred_at timestamptz not null,
  primary key (tenant_id, id)
);
create index outbox_event_by_number on outbox_event (number);
select secure_tenant_table('outbox_event', 'select, insert');
grant delete on outbox_event to tenantry_across;

-- How many rows of a kind a tenant has, spread over slots: one row for all would be a lock that every insert shares.
-- The room left on its pages lets an update stay on its page and leave the key's index alone.
create table kept_count (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid,
  name text not null,
  slot smallint not null,
  count bigint not null,
  primary key (tenant_id, name, slot)
) with (fillfactor = 50);
select secure_tenant_table('kept_count');

-- Every insert locked the tenant's row for the check of these keys, and two at the same moment made a shared lock record
-- of it. The tenant comes from the principal, and tenants are never deleted.
alter table audit_log drop constraint audit_log_tenant_id_fkey;
alter table idempotency_record drop constraint idempotency_record_tenant_id_fkey;

-- A check of a table is compiled anew for every insert, that of a domain once for each connection.
create domain actor_kind as text check (value in ('client', 'person', 'system'));
alter table audit_log drop constraint audit_log_actor_kind_check, alter column actor_kind type actor_kind;
