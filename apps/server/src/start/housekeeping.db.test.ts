import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';
import { removeOldEvents } from './housekeeping.ts';

const api = await openTestApi();
const DAY_MS = 24 * 60 * 60 * 1000;

const eventSkus = (): Promise<string[]> =>
  asSuperuser(
    api.cluster,
    async (client) => {
      const { rows } = await client.query(`select data ->> 'sku' as sku from outbox_event order by number`);
      return rows.map((row) => row.sku);
    },
    api.databaseName,
  );

describe('Housekeeping', () => {
  it('keeps an event for a week, and removes it then', async () => {
    const { client } = await api.newTenant();
    const create = (sku: string) =>
      client.post('/catalog/products', { sku, name: sku, price: '1', currency: 'EUR' });
    await create('first');
    api.clock.advance(60_000);
    await create('second');
    api.clock.advance(7 * DAY_MS - 60_001);
    await removeOldEvents(api.platform);
    assert.deepEqual(await eventSkus(), ['first', 'second']);
    api.clock.advance(1);
    await removeOldEvents(api.platform);
    assert.deepEqual(await eventSkus(), ['second']);
  });
});
