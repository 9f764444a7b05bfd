import { sql } from 'kysely';
import { newId } from '#kernel/ids.ts';
import { type Listed, listPage, type Page } from '#platform/db/page.ts';
import { containing, prepared, query } from '#platform/db/query.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import type { ClientSecret } from './domain/secrets.ts';

export interface ApiClient {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly roleIds: readonly string[];
  readonly secrets: readonly ClientSecret[];
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface ApiClientRow {
  id: string;
  client_id: string;
  name: string;
  status: string;
  version: number;
  created_at: Date;
  updated_at: Date;
  role_ids: string[];
  secrets: Record<'id' | 'hint' | 'created_at' | 'expires_at' | 'last_used_at', string>[];
}

/** A revoked client is kept for the audit log and seen nowhere else. */
const unrevoked = () => query.selectFrom('api_client').where('status', '<>', 'revoked');

const columns = [
  'id',
  'client_id',
  'name',
  'status',
  'version',
  'created_at',
  'updated_at',
  sql<
    string[]
  >`array(select r.role_id from api_client_role r where r.api_client_id = api_client.id order by 1)`.as(
    'role_ids',
  ),
  sql<ApiClientRow['secrets']>`(
    select coalesce(json_agg(json_build_object('id', s.id, 'hint', s.hint, 'created_at', s.created_at,
             'expires_at', s.expires_at, 'last_used_at', s.last_used_at) order by s.created_at desc, s.id desc), '[]')
      from api_client_secret s where s.api_client_id = api_client.id)`.as('secrets'),
] as const;

const byId = prepared((arg: { id: string }) => unrevoked().where('id', '=', arg.id).select(columns));

export async function findApiClient(db: TenantReader | TenantTx, id: string): Promise<ApiClient | undefined> {
  const row = await db.first(byId({ id }));
  return row && clientOf(row);
}

export async function lockApiClient(tx: TenantTx, id: string): Promise<ApiClient | undefined> {
  const locked = await tx.first(unrevoked().where('id', '=', id).select('id').forUpdate());
  return locked && findApiClient(tx, id);
}

export interface ApiClientFilter {
  readonly q?: string;
  readonly status?: string;
}

export function listApiClients(
  db: TenantReader,
  filter: ApiClientFilter,
  page: Page,
): Promise<Listed<ApiClient>> {
  let matching = unrevoked();
  if (filter.status !== undefined) matching = matching.where('status', '=', filter.status);
  if (filter.q !== undefined) {
    const pattern = containing(filter.q);
    matching = matching.where(sql<boolean>`(name ilike ${pattern} or client_id ilike ${pattern})`);
  }
  return listPage(db.slowBatch, matching, (clients) => clients.select(columns), page, clientOf);
}

interface NewSecret {
  readonly digest: Buffer;
  readonly hint: string;
}

export async function insertApiClient(
  tx: TenantTx,
  client: { readonly clientId: string; readonly name: string; readonly roleIds: readonly string[] },
  secret: NewSecret,
  now: Date,
): Promise<ApiClient> {
  const id = newId();
  const { clientId, name, roleIds } = client;
  await tx.batch([
    query
      .insertInto('api_client')
      .values({ id, client_id: clientId, name, created_at: now, updated_at: now }),
    secretInsert(id, secret, now),
    ...roleInserts(id, roleIds),
  ]);
  const whole = (await findApiClient(tx, id)) as ApiClient;
  tx.audit({ action: 'apiClient.created', resourceType: 'apiClient', resourceId: id, after: traceOf(whole) });
  return whole;
}

export async function updateApiClient(
  tx: TenantTx,
  before: ApiClient,
  after: ApiClient,
  now: Date,
): Promise<ApiClient> {
  await tx.batch([
    touched(before, now).set({ name: after.name, status: after.status }),
    query.deleteFrom('api_client_role').where('api_client_id', '=', before.id),
    ...roleInserts(before.id, after.roleIds),
  ]);
  return changed(tx, 'apiClient.updated', before);
}

export async function rotateSecret(
  tx: TenantTx,
  client: ApiClient,
  rotation: { readonly expiring: ClientSecret | undefined; readonly removed: readonly ClientSecret[] },
  secret: NewSecret,
  now: Date,
): Promise<ApiClient> {
  const { expiring, removed } = rotation;
  const secrets = query.updateTable('api_client_secret');
  await tx.batch([
    touched(client, now),
    ...removed.map(({ id }) => query.deleteFrom('api_client_secret').where('id', '=', id)),
    ...(expiring === undefined
      ? []
      : [secrets.set({ expires_at: expiring.expiresAt }).where('id', '=', expiring.id)]),
    secretInsert(client.id, secret, now),
  ]);
  return changed(tx, 'apiClient.secretRotated', client);
}

export async function revokeApiClient(tx: TenantTx, client: ApiClient, now: Date): Promise<void> {
  await tx.batch([
    touched(client, now).set({ status: 'revoked' }),
    query.deleteFrom('api_client_secret').where('api_client_id', '=', client.id),
  ]);
  tx.announce('access', `client:${client.clientId}`);
  tx.audit({
    action: 'apiClient.revoked',
    resourceType: 'apiClient',
    resourceId: client.id,
    before: traceOf(client),
  });
}

/** Nodes that know the client forget it, so that the next request finds it as it is now. */
async function changed(tx: TenantTx, action: string, before: ApiClient): Promise<ApiClient> {
  const after = (await findApiClient(tx, before.id)) as ApiClient;
  tx.announce('access', `client:${after.clientId}`);
  tx.audit({
    action,
    resourceType: 'apiClient',
    resourceId: after.id,
    before: traceOf(before),
    after: traceOf(after),
  });
  return after;
}

const touched = (client: ApiClient, now: Date) =>
  query
    .updateTable('api_client')
    .set({ updated_at: now, version: client.version + 1 })
    .where('id', '=', client.id);

const secretInsert = (clientId: string, { digest, hint }: NewSecret, now: Date) =>
  query
    .insertInto('api_client_secret')
    .values({ id: newId(), api_client_id: clientId, digest, hint, created_at: now });

const roleInserts = (clientId: string, roleIds: readonly string[]) =>
  roleIds.map((roleId) =>
    query.insertInto('api_client_role').values({ api_client_id: clientId, role_id: roleId }),
  );

/** What the audit log keeps of a client: hints of its secrets, never their digests. */
const traceOf = ({ clientId, name, status, roleIds, secrets }: ApiClient) => ({
  clientId,
  name,
  status,
  roles: roleIds,
  secrets: secrets.map(({ hint, expiresAt }) => ({ hint, expiresAt })),
});

const clientOf = (row: ApiClientRow): ApiClient => ({
  id: row.id,
  clientId: row.client_id,
  name: row.name,
  status: row.status as ApiClient['status'],
  roleIds: row.role_ids,
  secrets: row.secrets.map((secret) => ({
    id: secret.id,
    hint: secret.hint,
    createdAt: new Date(secret.created_at),
    expiresAt: secret.expires_at === null ? null : new Date(secret.expires_at),
    lastUsedAt: secret.last_used_at === null ? null : new Date(secret.last_used_at),
  })),
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
