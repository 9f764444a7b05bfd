// Generated from db/migrations by `npm run generate`. Do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

type Json = ColumnType<unknown, string | null, string | null>;
type Timestamp = ColumnType<Date, Date | string, Date | string>;

interface ApiClient {
  tenant_id: Generated<string>;
  id: string;
  client_id: string;
  name: string;
  status: Generated<string>;
  version: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface ApiClientRole {
  tenant_id: Generated<string>;
  api_client_id: string;
  role_id: string;
}

interface ApiClientSecret {
  tenant_id: Generated<string>;
  id: string;
  api_client_id: string;
  digest: Buffer;
  hint: string;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
}

interface AuditLog {
  tenant_id: Generated<string>;
  id: string;
  at: Timestamp;
  actor_kind: string;
  actor_id: string;
  actor_name: string;
  action: string;
  resource_type: string;
  resource_id: string | null;
  before: Json | null;
  after: Json | null;
  reason: string | null;
  ip_address: string | null;
  trace_id: string | null;
}

interface IdempotencyRecord {
  tenant_id: Generated<string>;
  scope_digest: Buffer;
  request_digest: Buffer;
  reply: Buffer;
  created_at: Timestamp;
}

interface Instance {
  only_row: Generated<boolean>;
  key_proof: string;
  platform_tenant_id: string;
  created_at: Generated<Timestamp>;
}

interface PathResource {
  table_name: string;
}

interface Person {
  tenant_id: Generated<string>;
  id: string;
  email: string;
  email_key: GeneratedAlways<string | null>;
  name: string;
  password_hash: string;
  must_change_password: Generated<boolean>;
  status: Generated<string>;
  version: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface PersonRole {
  tenant_id: Generated<string>;
  person_id: string;
  role_id: string;
}

interface Role {
  tenant_id: Generated<string>;
  id: string;
  name: string;
  name_key: GeneratedAlways<string | null>;
  description: string | null;
  permissions: string[];
  is_built_in: Generated<boolean>;
  status: Generated<string>;
  version: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface SigningKey {
  id: string;
  public_jwk: Json;
  private_jwk_sealed: Buffer;
  active_from: Timestamp;
}

interface Tenant {
  id: string;
  name: string;
  subdomain: string;
  kind: string;
  production_tenant_id: string | null;
  is_platform: Generated<boolean>;
  status: Generated<string>;
  tier: Generated<string>;
  plan: string;
  subscription_status: Generated<string>;
  subscription_started_at: Timestamp;
  trial_ends_at: Timestamp | null;
  renews_at: Timestamp | null;
  time_zone: Generated<string>;
  locale: Generated<string>;
  version: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface DB {
  api_client: ApiClient;
  api_client_role: ApiClientRole;
  api_client_secret: ApiClientSecret;
  audit_log: AuditLog;
  idempotency_record: IdempotencyRecord;
  instance: Instance;
  path_resource: PathResource;
  person: Person;
  person_role: PersonRole;
  role: Role;
  signing_key: SigningKey;
  tenant: Tenant;
}
