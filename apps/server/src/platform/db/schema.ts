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

interface KeptCount {
  tenant_id: Generated<string>;
  name: string;
  slot: number;
  count: bigint;
}

interface OutboxEvent {
  tenant_id: Generated<string>;
  id: string;
  number: GeneratedAlways<bigint>;
  type: string;
  resource_id: string;
  data: Json;
  occurred_at: Timestamp;
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

interface Product {
  tenant_id: Generated<string>;
  id: string;
  sku: string;
  sku_key: string;
  name: string;
  name_key: string;
  description: string | null;
  kind: string;
  status: string;
  unit: string;
  price: string;
  price_order: bigint;
  currency: string;
  tax_category: string;
  tax_rate: string;
  barcode: string | null;
  category: string | null;
  category_key: string | null;
  tags: string[];
  track_stock: boolean;
  stock_policy: string;
  stock_on_hand: Generated<string>;
  in_stock: Generated<boolean>;
  reorder_point: string | null;
  metadata: Json;
  movement_count: Generated<number>;
  version: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
}

interface ProductSearch {
  tenant_id: Generated<string>;
  product_id: string;
  sku: string;
  name: string;
  barcode: string;
  words: string[];
  keys: number[];
}

interface ProductTag {
  tenant_id: Generated<string>;
  tag_key: string;
  created_at: Timestamp;
  product_id: string;
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

interface StockMovement {
  tenant_id: Generated<string>;
  product_id: string;
  number: number;
  id: string;
  kind: string;
  quantity: string;
  balance: string;
  reason: string | null;
  reference: string | null;
  invoice_id: string | null;
  created_at: Timestamp;
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
  kept_count: KeptCount;
  outbox_event: OutboxEvent;
  path_resource: PathResource;
  person: Person;
  person_role: PersonRole;
  product: Product;
  product_search: ProductSearch;
  product_tag: ProductTag;
  role: Role;
  signing_key: SigningKey;
  stock_movement: StockMovement;
  tenant: Tenant;
}
