import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import pg from 'pg';
import { until } from '#test/behind-api.ts';
import { fetchToken } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { databaseUrl } from '#test/template.ts';
import { behindCatalog, makeProduct, PRODUCTS, pathOf, productInput } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const { sql, eventsOf, tracesOf } = behindCatalog(api);

/** Holds a lock that the work needs, ends the backend that waits for it, and only then lets go. */
async function killedWhileWaiting<T>(lock: string, values: unknown[], work: () => Promise<T>): Promise<T> {
  const holder = new pg.Client({ connectionString: databaseUrl(api.cluster.superuserUrl, api.databaseName) });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(lock, values);
    const working = work();
    await until(async () => {
      const waiting = `from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`;
      return (await sql(`select pg_terminate_backend(pid) ${waiting}`, [api.databaseName])).length > 0;
    });
    return await working;
  } finally {
    await holder.end();
  }
}

describe('A change whose connection dies midway leaves nothing behind', () => {
  const COUNTS = 'lock table kept_count in exclusive mode';
  const ROW = 'select from product where id = $1 for update';
  const LEDGER = 'lock table stock_movement in exclusive mode';

  it('whatever it was', async () => {
    const product = await makeProduct(client, { trackStock: true, stockOnHand: '5' });
    const changed = { ...product, name: 'Changed' };
    for (const [lock, values, work] of [
      [COUNTS, [], () => client.post(PRODUCTS, productInput({ sku: 'KILLED' }))],
      [COUNTS, [], () => client.delete(pathOf(product))],
      [ROW, [product.id], () => client.put(pathOf(product), changed)],
      ['lock table outbox_event in exclusive mode', [], () => client.put(pathOf(product), changed)],
      [LEDGER, [], () => client.post(`${pathOf(product)}/stock-adjustments`, { quantity: -1 })],
    ] as const) {
      const before = await tracesOf(tenant.id);
      const { status, body, headers } = await killedWhileWaiting(lock, [...values], work);
      assert.equal(status, 503, lock);
      assert.match(body.type, /\/problems\/database-unavailable$/);
      assert.ok(headers.has('retry-after'));
      assert.deepEqual(await tracesOf(tenant.id), before);
    }
    assert.deepEqual((await client.get(pathOf(product))).body, product);
    await makeProduct(client, { sku: 'KILLED' });
  });
});

describe('A change that waits for another which waits for it', () => {
  it('is given up, leaves nothing behind and may be tried again', async () => {
    const [a, b] = [await makeProduct(client), await makeProduct(client)];
    const before = await tracesOf(tenant.id);
    const other = new pg.Client({
      connectionString: databaseUrl(api.cluster.superuserUrl, api.databaseName),
    });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(`update product set sku_key = 'moved' where id = $1`, [b.id]);
      const waiting = client.put(pathOf(a), { ...a, sku: b.sku });
      await until(async () => {
        const blocked = `select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`;
        return (await sql(blocked, [api.databaseName])).length > 0;
      });
      await other.query(`set local deadlock_timeout = '1min'`); // so that the request is the one to notice
      await other.query('select from product where id = $1 for update', [a.id]);
      const { status, headers, text } = await waiting;
      assert.equal(status, 503, text);
      assert.ok(headers.has('retry-after'));
    } finally {
      await other.end();
    }
    assert.deepEqual(await tracesOf(tenant.id), before);
    assert.deepEqual((await client.get(pathOf(a))).body, a);
    assert.equal((await client.put(pathOf(a), { ...a, name: 'Again' })).status, 200);
  });
});

describe('A client that goes away', () => {
  it('leaves a change with its event, its entry and its count, or none of them', async () => {
    const token = await fetchToken(api.origin, tenant.clientId, tenant.clientSecret);
    const { hostname, port } = new URL(api.origin);
    const skus = Array.from({ length: 30 }, (_, i) => `LEFT-${i}`);
    const before = await tracesOf(tenant.id);
    await Promise.all(
      skus.map(
        (sku, i) =>
          new Promise<void>((resolve) => {
            const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
            const sent = request({ hostname, port, path: PRODUCTS, method: 'POST', headers });
            sent.on('error', () => {});
            sent.on('close', resolve);
            sent.on('response', (response) => response.resume());
            sent.end(JSON.stringify(productInput({ sku })));
            setTimeout(() => sent.destroy(), i % 8);
          }),
      ),
    );
    await until(async () => {
      const [{ busy }] = await sql(
        `select count(*)::int as busy from pg_stat_activity where datname = $1 and application_name = 'tenantry' and state <> 'idle'`,
        [api.databaseName],
      );
      return busy === 0;
    });
    // A request that has not reached the database yet would count too late, so the numbers must stand still.
    let after = await tracesOf(tenant.id);
    await until(async () => {
      const last = after;
      await client.get(`${PRODUCTS}?q=LEFT`);
      after = await tracesOf(tenant.id);
      return last.products === after.products;
    });
    const made = after.products - before.products;
    assert.deepEqual(after, {
      products: before.products + made,
      kept: before.kept + made,
      events: before.events + made,
      entries: before.entries + made,
      searchable: before.searchable + made,
      movements: before.movements,
    });
  });
});

it('The life of a product is told in the order in which it happened, as each GET showed it', async () => {
  const product = await makeProduct(client, { trackStock: true });
  const seen = [product];
  const look = async () => seen.push((await client.get(pathOf(product))).body);
  await client.post(`${pathOf(product)}/stock-adjustments`, { quantity: '5' });
  await look();
  await client.put(pathOf(product), { ...seen.at(-1), name: 'Second' });
  await look();
  await client.post(`${pathOf(product)}/stock-adjustments`, { quantity: '-2' });
  await look();
  await client.post(`${pathOf(product)}/stock-adjustments`, { quantity: '-4' });
  await client.delete(pathOf(product), { headers: { 'if-match': '"1"' } });
  await client.delete(pathOf(product));
  const events = await eventsOf(product.id);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['product.created', 'stock.adjusted', 'product.updated', 'stock.adjusted', 'product.deleted'],
  );
  assert.deepEqual(
    events.map(({ data: { movement, ...data } }) => data),
    [...seen, seen.at(-1)],
  );
});
