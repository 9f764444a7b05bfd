import type { Database } from '#platform/db/database.ts';
import { preparedSql } from '#platform/db/query.ts';
import { allPermissions, OPERATE } from './permissions.ts';
import type { Principal } from './principal.ts';

interface KnownSecret {
  readonly id: string;
  readonly digest: Buffer;
  readonly expiresAt: Date | null;
}

/** What a token is checked against on every request, and what it is issued by. */
export interface ClientAccess {
  readonly clientId: string;
  readonly isActive: boolean;
  readonly isTenantActive: boolean;
  readonly principal: Principal;
  readonly secrets: readonly KnownSecret[];
}

interface AccessRow {
  tenant_id: string;
  tenant_status: string;
  tier: 'standard' | 'enterprise';
  is_platform: boolean;
  api_client_id: string;
  client_name: string;
  client_status: string;
  permissions: string[] | null;
}

interface SecretRow {
  id: string;
  digest: Buffer;
  expires_at: Date | null;
}

const accessOf = preparedSql<AccessRow>('select * from client_access($1)');
const secretsOf = preparedSql<SecretRow>('select * from client_secrets($1)');

const CLIENTS_MAX = 10_000;

/** What is sent as a client id can be anything; only this is worth asking the database about. */
const CLIENT_ID = /^[\x21-\x7e]{1,100}$/;

/**
 * The API clients in use, kept in memory so that no request asks the database who its sender is. An entry is dropped
 * as soon as a change of its client, its roles or its tenant is announced; while this node cannot hear announcements
 * every request asks the database.
 */
export class ClientAccessCache {
  readonly #db: Database;
  readonly #entries = new Map<string, ClientAccess>();
  /** Counts what has been dropped: an answer that was asked for before that may be stale and is not kept. */
  #drops = 0;

  constructor(db: Database) {
    this.#db = db;
    db.announcements.subscribe('access', (payload) => this.#drop(payload));
  }

  /** Synchronous on a hit, so that a request that needs no database waits for none. */
  find(clientId: string): ClientAccess | Promise<ClientAccess | undefined> {
    const entry = this.#db.announcements.isListening ? this.#entries.get(clientId) : undefined;
    return entry ?? this.#load(clientId);
  }

  async #load(clientId: string): Promise<ClientAccess | undefined> {
    if (!CLIENT_ID.test(clientId)) return undefined;
    const drops = this.#drops;
    const [[row], secrets] = await Promise.all([
      this.#db.platformRows(accessOf(clientId)),
      this.#db.platformRows(secretsOf(clientId)),
    ]);
    if (row === undefined) return undefined;
    const access = asAccess(clientId, row, secrets);
    if (drops === this.#drops && this.#db.announcements.isListening) this.#keep(access);
    return access;
  }

  #keep(access: ClientAccess): void {
    if (this.#entries.size >= CLIENTS_MAX) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(access.clientId, access);
  }

  /** `client:<client id>`, `tenant:<tenant id>`, or everything. */
  #drop(payload: string | undefined): void {
    this.#drops++;
    const [kind, id] = payload?.split(':') ?? [];
    if (kind === 'client' && id !== undefined) this.#entries.delete(id);
    else if (kind === 'tenant') {
      for (const [clientId, access] of this.#entries) {
        if (access.principal.tenantId === id) this.#entries.delete(clientId);
      }
    } else this.#entries.clear();
  }
}

function asAccess(clientId: string, row: AccessRow, secrets: readonly SecretRow[]): ClientAccess {
  const own = row.permissions ?? allPermissions; // no roles: every permission of its tenant
  const isOperator = row.is_platform && (row.permissions === null || row.permissions.includes(OPERATE));
  return {
    clientId,
    isActive: row.client_status === 'active',
    isTenantActive: row.tenant_status === 'active',
    principal: {
      kind: 'client',
      id: row.api_client_id,
      name: row.client_name,
      tenantId: row.tenant_id,
      tier: row.tier,
      limitKey: clientId,
      permissions: new Set(isOperator ? [...own, OPERATE] : own),
      isOfPlatform: row.is_platform,
      isOperator,
    },
    secrets: secrets.map(({ id, digest, expires_at }) => ({ id, digest, expiresAt: expires_at })),
  };
}
