import { randomBytes } from 'node:crypto';
import type { BenchDatabase } from './database.ts';
import { fillTenant, settle } from './fill.ts';
import { type Credentials, fetchToken } from './token.ts';

/** A tenant of our server with so many products in it. */
export interface FilledTenant {
  readonly url: string;
  readonly tenantId: string;
  readonly accessToken: string;
  readonly size: number;
  /** Of products from all over it. */
  readonly productIds: readonly string[];
}

/** The tenants that are measured, each made and filled when it is first asked for. */
export class Catalog {
  readonly #url: string;
  readonly #operator: Credentials;
  readonly #database: BenchDatabase;
  readonly #known = new Map<string, Promise<FilledTenant>>();

  constructor(url: string, operator: Credentials, database: BenchDatabase) {
    this.#url = url;
    this.#operator = operator;
    this.#database = database;
  }

  /** The same one for the same purpose. */
  tenant(purpose: string, size: number): Promise<FilledTenant> {
    let tenant = this.#known.get(purpose);
    if (tenant === undefined) {
      tenant = this.freshTenants(1, size).then(([made]) => made as FilledTenant);
      this.#known.set(purpose, tenant);
    }
    return tenant;
  }

  /** Some that nobody has used yet. */
  async freshTenants(count: number, size: number): Promise<FilledTenant[]> {
    const made: FilledTenant[] = [];
    while (made.length < count) made.push(await this.#make(size));
    await settle(this.#database);
    return made;
  }

  async #make(size: number): Promise<FilledTenant> {
    const operatorToken = await fetchToken(this.#url, this.#operator);
    const subdomain = `b${randomBytes(6).toString('hex')}`;
    const reply = await fetch(`${this.#url}/tenants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: subdomain,
        subdomain,
        administrator: { email: `owner@${subdomain}.example`, name: 'Owner' },
      }),
    });
    if (!reply.ok) throw new Error(`no tenant: ${reply.status} ${await reply.text()}`);
    const made = (await reply.json()) as { tenant: { id: string }; client: Credentials };
    return {
      url: this.#url,
      tenantId: made.tenant.id,
      accessToken: await fetchToken(this.#url, made.client),
      size,
      productIds: await fillTenant(this.#database, made.tenant.id, size),
    };
  }
}
