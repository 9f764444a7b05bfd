import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestApi } from '#test/harness.ts';

export type Tenant = Awaited<ReturnType<TestApi['newTenant']>>;

interface Made {
  readonly id: string;
  /** Texts that are nobody's business but its tenant's. */
  readonly marks: readonly string[];
}

/** How to make a row of each table whose id stands in a path. A table that is missing here fails the rival test. */
export const factories: Readonly<Record<string, (tenant: Tenant) => Promise<Made>>> = {
  tenant: async ({ id, subdomain }) => ({ id, marks: [subdomain] }),

  api_client: async ({ client }) => {
    const name = `Client ${randomBytes(6).toString('hex')}`;
    const { status, body, text } = await client.post('/api/settings/api-clients', { name });
    assert.equal(status, 201, text);
    return { id: body.id, marks: [name, body.clientId] };
  },

  product: async ({ client }) => {
    const mark = randomBytes(6).toString('hex');
    const { status, body, text } = await client.post('/catalog/products', {
      sku: `SKU-${mark}`,
      name: `Product ${mark}`,
      price: '1.00',
      currency: 'EUR',
      tags: [mark],
      trackStock: true,
      stockOnHand: '5',
    });
    assert.equal(status, 201, text);
    return { id: body.id, marks: [mark] };
  },
};
