import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { behindApi, clientWith, until } from '#test/behind-api.ts';
import { fetchToken } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { makeProduct, PRODUCTS } from '../product.fixture.ts';
import { parseCsv } from './csv.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const rival = await api.newTenant();
const { sql } = behindApi(api);
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const asking = (accept: string) => ({ headers: { accept } });

const awkward = [
  { name: 'Plain' },
  { name: 'Commas, "quotes"; and \'more\'', description: 'Two\nlines, "quoted"\r\nand\ttabs \\N \\. {x}' },
  { name: '日本語 Ünïcödé 🛒', description: '', category: 'Küche' },
  { name: '=1+1', description: '\\.', metadata: { 'a"b': 'c,\nd', e: '\\' } },
  {
    name: 'Full',
    barcode: '96385074',
    tags: ['a,b', 'c d'],
    trackStock: true,
    stockOnHand: '1.5',
    reorderPoint: 2,
  },
  { name: 'Controls', description: 'a\u0001b\u0002c\u001fd\u007f' },
];
for (const product of awkward) {
  await makeProduct(client, { ...product, kind: product.name === 'Full' ? 'service' : 'goods' });
  await makeProduct(rival.client, { name: 'Secret of the rival' });
}
const list = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await client.get(`${PRODUCTS}?pageSize=100${query}`)).body.items;
const lines = (text: string): unknown[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('An export', () => {
  it('as NDJSON has in each line what the list has in each item', async () => {
    const { status, text, headers } = await client.get(PRODUCTS, asking(NDJSON));
    assert.equal(status, 200, text);
    assert.equal(headers.get('content-type'), NDJSON);
    assert.match(headers.get('content-disposition') ?? '', /attachment; filename="products\.ndjson"/);
    assert.deepEqual(lines(text), await list());
    assert.deepEqual(Object.keys(lines(text)[0] as object), Object.keys((await list())[0] as object));
  });

  it('as CSV reads back to what the list shows, empty text apart from none', async () => {
    const { status, text, headers } = await client.get(PRODUCTS, asking(CSV));
    assert.equal(status, 200, text);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.match(headers.get('content-disposition') ?? '', /filename="products\.csv"/);
    const [names = [], ...rows] = parseCsv(text);
    const items = await list();
    assert.deepEqual(names, Object.keys(items[0] as object));
    const read = rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
    assert.deepEqual(
      read.map((row) => ({ ...row, metadata: JSON.parse(row.metadata as string) })),
      items.map(({ tags, trackStock, version, ...item }) => ({
        ...item,
        tags: (tags as string[]).join('|'),
        trackStock: String(trackStock),
        version: String(version),
      })),
    );
  });

  it('is the whole result, filtered, searched and sorted, whatever page is asked for', async () => {
    const [{ nextCursor }] = [(await client.get(`${PRODUCTS}?pageSize=2&sortBy=name`)).body];
    for (const query of [
      'sortBy=name',
      'sortBy=price&sortDir=desc',
      'kind=service',
      'q=plain',
      'q=l&sortBy=name&sortDir=desc',
      'q=l',
      'q=a&kind=goods&minPrice=1&maxPrice=100.000001&inStock=false&status=active',
      'tag=C%20D&category=none',
      'tag=c%20d',
      'category=k%C3%BCche',
      "q=%24%241%27%22'",
      'q=nothing-like-it',
    ]) {
      const expected = await list(`&${query}`);
      const { status, text } = await client.get(`${PRODUCTS}?${query}&pageSize=1&page=3`, asking(NDJSON));
      assert.equal(status, 200, text);
      assert.deepEqual(lines(text), expected, query);
      const csv = parseCsv((await client.get(`${PRODUCTS}?${query}&pageSize=1`, asking(CSV))).text);
      assert.deepEqual(
        csv.slice(1).map(([id]) => id),
        expected.map(({ id }) => id),
        query,
      );
    }
    const walked = await client.get(`${PRODUCTS}?cursor=${nextCursor}`, asking(NDJSON));
    assert.equal(lines(walked.text).length, awkward.length);
  });

  it('of nothing is a header, or nothing', async () => {
    const { client: nobody } = await api.newTenant();
    assert.equal((await nobody.get(PRODUCTS, asking(NDJSON))).text, '');
    assert.equal(parseCsv((await nobody.get(PRODUCTS, asking(CSV))).text).length, 1);
  });

  it('comes in the form that is wanted most', async () => {
    for (const [accept, type] of [
      ['text/csv;q=0.5, application/x-ndjson', NDJSON],
      ['application/x-ndjson;q=0.1, text/csv;q=0.2', CSV],
      ['text/*', CSV],
      ['text/csv, application/json', 'application/json'],
      ['text/csv, */*;q=0.1', CSV],
      ['TEXT/CSV', CSV],
      ['application/json;q=0, text/csv', CSV],
      ['*/*', 'application/json'],
    ] as const) {
      const { status, headers } = await client.get(PRODUCTS, asking(accept));
      assert.equal(status, 200);
      assert.ok(headers.get('content-type')?.startsWith(type), `${accept}: ${headers.get('content-type')}`);
    }
    for (const accept of ['application/xml', 'text/csv;q=0', 'image/*']) {
      const { status, body } = await client.get(PRODUCTS, asking(accept));
      assert.equal(status, 406, accept);
      assert.match(body.type, /\/problems\/not-acceptable$/);
      assert.match(body.detail, /text\/csv.*x-ndjson/);
    }
  });

  it('is refused as a problem like any list', async () => {
    for (const accept of [CSV, NDJSON]) {
      const wrong = await client.get(`${PRODUCTS}?sortBy=relevance&colour=x`, asking(accept));
      assert.equal(wrong.status, 400);
      assert.match(wrong.headers.get('content-type') ?? '', /application\/problem\+json/);
      assert.equal((await api.anonymous.get(PRODUCTS, asking(accept))).status, 401);
      const writer = await clientWith(api, tenant, ['catalog.write']);
      assert.equal((await writer.get(PRODUCTS, asking(accept))).status, 403);
    }
  });

  it('is not made for who asks only for its headers', async () => {
    for (let count = 0; count < 5; count++) {
      const { status, text } = await client.send('HEAD', PRODUCTS, undefined, asking(CSV));
      assert.deepEqual([status, text], [200, '']);
    }
  });
});

describe('A large export', async () => {
  const big = await api.newTenant();
  const other = await api.newTenant();
  const ROWS = 2_500;
  await sql(
    `insert into product (tenant_id, id, sku, sku_key, name, name_key, description, kind, status, unit, price, price_order, currency,
                          tax_category, tax_rate, tags, track_stock, stock_policy, metadata, created_at, updated_at)
     select $1, gen_random_uuid(), n, n, n, n, repeat('x', 9000), 'goods', 'active', 'C62', 1, 0, 'EUR',
            'S', 0, '{}', false, 'deny', '{}', now(), now() from generate_series(1, $2::int) n`,
    [big.id, ROWS],
  );
  const token = await fetchToken(api.origin, big.clientId, big.clientSecret);

  /** An export whose first bytes are there and which nobody reads. */
  const begin = (accept = CSV): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, accept };
      get(api.origin + PRODUCTS, { headers, agent: false }, (response) => {
        response.on('error', () => {}); // it is broken off by intent
        resolve(response);
      }).on('error', reject);
    });
  const connections = async (): Promise<number> =>
    (
      await sql(`select from pg_stat_activity where datname = $1 and application_name = 'tenantry export'`, [
        api.databaseName,
      ])
    ).length;

  it('reaches its end', async () => {
    const { text } = await big.client.get(PRODUCTS, asking(NDJSON));
    assert.equal(text.split('\n').length - 1, ROWS);
    await until(async () => (await connections()) === 0);
  });

  it('frees its connection when its reader goes away, at the start or midway', async () => {
    for (let count = 0; count < 4; count++) {
      const response = await begin();
      assert.equal(response.statusCode, 200);
      assert.equal(await connections(), 1);
      response.destroy();
      await until(async () => (await connections()) === 0);
    }
    for (let wait = 0; wait < 20; wait += 2) {
      const headers = { authorization: `Bearer ${token}`, accept: CSV };
      const request = get(api.origin + PRODUCTS, { headers, agent: false }).on('error', () => {});
      await new Promise((resolve) => setTimeout(resolve, wait));
      request.destroy();
    }
    await until(async () => (await connections()) === 0);
    await until(async () => (await big.client.get(`${PRODUCTS}?q=none`, asking(CSV))).status === 200);
  });

  it('runs twice at once for one workspace and not a third time, whatever others do', async () => {
    const running = [await begin(), await begin(NDJSON)];
    const { status, body, headers } = await big.client.get(PRODUCTS, asking(CSV));
    assert.equal(status, 429);
    assert.match(body.type, /\/problems\/too-many-exports$/);
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.equal((await other.client.get(PRODUCTS, asking(CSV))).status, 200);
    assert.equal((await big.client.get(PRODUCTS)).status, 200);
    running[0]?.destroy();
    await until(async () => (await big.client.get(`${PRODUCTS}?q=none`, asking(CSV))).status === 200);
    running[1]?.destroy();
    await until(async () => (await connections()) === 0);
  });

  it('that breaks off in the database does not end as if it were whole', async () => {
    const response = await begin();
    const ended = new Promise<boolean>((resolve) => response.on('close', () => resolve(response.complete)));
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'tenantry export'`,
      [api.databaseName],
    );
    response.resume();
    assert.equal(await ended, false);
    await until(async () => (await big.client.get(`${PRODUCTS}?q=none`, asking(CSV))).status === 200);
  });
});
