import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';
import { PRODUCTS, pathOf, productInput } from '../product.fixture.ts';

const api = await openTestApi();
const { client } = await api.newTenant();

const marks = { tags: ['marked'], category: 'Marked', name: 'Marked thing' };

/** Creates and deletes until told to stop. */
async function churn(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { body } = await client.post(PRODUCTS, productInput(marks));
    await client.delete(pathOf(body));
  }
}

describe('However much is written meanwhile', () => {
  it('a list shows as many products as it counts', async () => {
    for (let n = 0; n < 5; n++) await client.post(PRODUCTS, productInput(marks));
    let isOver = false;
    const writers = Array.from({ length: 4 }, () => churn(() => isOver));
    try {
      for (const query of ['', 'tag=marked', 'category=marked', 'tag=marked&category=marked', 'q=marked']) {
        for (let round = 0; round < 25; round++) {
          const { body } = await client.get(`${PRODUCTS}?pageSize=100&${query}`);
          assert.equal(body.totalCount, body.items.length, query);
        }
      }
    } finally {
      isOver = true;
      await Promise.all(writers);
    }
  });
});
