import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { millionths } from '#kernel/decimal.ts';
import { caseless, foldText } from '#kernel/folded-text.ts';
import { clientWith } from '#test/behind-api.ts';
import { openTestApi } from '#test/harness.ts';
import { makeProduct, PRODUCTS } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const rival = await api.newTenant();

interface Shown extends Record<string, unknown> {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly price: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly category: string | null;
  readonly tags: string[];
  readonly stockOnHand: string;
}

// Prices that differ by less than a floating-point number can tell; names and times that many share.
const prices = [
  '0',
  '9007199254.740992',
  '9007199254.740993',
  '9999999999999.999998',
  '9999999999999.999999',
  '5',
];
const products: Shown[] = [];
for (let i = 0; i < 18; i++) {
  if (i % 3 === 0) api.clock.advance(1_000);
  const more = {
    sku: `${'aBcD'[i % 4]}-${i}`,
    name: ['Mug', 'mug', 'Ärmel', 'zebra', 'Éclair'][i % 5],
    price: prices[i % prices.length],
    status: i % 2 ? 'active' : 'archived',
    kind: i % 3 ? 'goods' : 'service',
    category: [null, 'Kitchen', 'kitchen', 'Office'][i % 4],
    tags: [[], ['Blue'], ['blue', 'Gift'], ['gift']][i % 4],
    trackStock: true,
    stockPolicy: 'allow',
    stockOnHand: [0, '0.000001', -1][i % 3],
  };
  products.push(await makeProduct(client, more));
  await makeProduct(rival.client, more);
}

const idsOf = (items: Shown[]): string[] => items.map(({ id }) => id);

async function ask(query: Record<string, string | number | boolean>) {
  const asked = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  const { status, body, text } = await client.get(`${PRODUCTS}?${asked}`);
  assert.equal(status, 200, text);
  return body;
}

describe('A list of products', () => {
  it('shows the newest first, twenty to a page, and counts them all', async () => {
    const body = await ask({});
    assert.deepEqual([body.totalCount, body.page, body.pageSize, body.nextCursor], [18, 1, 20, null]);
    const newest = products.toSorted((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? 1 : -1));
    assert.deepEqual(body.items, newest);
    assert.deepEqual((await client.get(`/api/v1${PRODUCTS}`)).body, body);
    assert.deepEqual((await ask({ page: 2 })).items, []);
  });

  it('holds exactly what its filters leave, in whatever combination', async () => {
    const filters = fc.record(
      {
        status: fc.constantFrom('active', 'archived'),
        kind: fc.constantFrom('goods', 'service'),
        category: fc.constantFrom('KITCHEN', 'office', 'none'),
        tag: fc.constantFrom('BLUE', 'gift', 'none'),
        minPrice: fc.constantFrom(...prices),
        maxPrice: fc.constantFrom(...prices),
        inStock: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const { status, kind, category, tag, minPrice, maxPrice, inStock } = filter;
        const expected = products.filter(
          (product) =>
            (status === undefined || product.status === status) &&
            (kind === undefined || product.kind === kind) &&
            (category === undefined || caseless(product.category ?? '') === caseless(category)) &&
            (tag === undefined || product.tags.map(caseless).includes(caseless(tag))) &&
            (minPrice === undefined || millionths(product.price) >= millionths(minPrice)) &&
            (maxPrice === undefined || millionths(product.price) <= millionths(maxPrice)) &&
            (inStock === undefined || millionths(product.stockOnHand) > 0n === inStock),
        );
        const body = await ask(filter);
        assert.deepEqual(idsOf(body.items).sort(), idsOf(expected).sort());
        assert.equal(body.totalCount, expected.length);
      }),
      { numRuns: 40 },
    );
  });

  it('is bounded by price exactly, to the last of six decimals', async () => {
    const top = '9999999999999.999999';
    for (const [query, count] of [
      [{ minPrice: top }, 3],
      [{ minPrice: '9999999999999.999998' }, 6],
      [{ maxPrice: '9999999999999.999998' }, 15],
      [{ minPrice: '9007199254.740993', maxPrice: '9007199254.740993' }, 3],
      [{ minPrice: '5.000001', maxPrice: '9007199254.740991' }, 0],
      [{ minPrice: 5, maxPrice: '5.00' }, 3],
      [{ maxPrice: '0' }, 3],
      [{ minPrice: '6', maxPrice: '5' }, 0],
    ] as const)
      assert.equal((await ask({ ...query, pageSize: 1 })).totalCount, count, JSON.stringify(query));
  });
});

const bytes = (text: string): Buffer => Buffer.from(text);
const keys: Record<string, (product: Shown) => string> = {
  sku: ({ sku }) => caseless(sku),
  name: ({ name }) => foldText(name),
  price: ({ price }) => String(millionths(price)).padStart(20, '0'),
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
};

describe('A list is sorted', () => {
  for (const [sortBy, keyOf] of Object.entries(keys)) {
    for (const sortDir of ['asc', 'desc'] as const) {
      for (const filter of [{}, { kind: 'goods', minPrice: '1' }]) {
        it(`by ${sortBy} ${sortDir}, ${JSON.stringify(filter)}, and walked by page and by cursor without gap or repeat`, async () => {
          const all = Object.keys(filter).length === 0;
          const sorted = products
            .filter(({ kind, price }) => all || (kind === 'goods' && millionths(price) >= millionths('1')))
            .toSorted((a, b) => bytes(keyOf(a)).compare(bytes(keyOf(b))) || (a.id < b.id ? -1 : 1));
          const expected = sortDir === 'asc' ? sorted : sorted.toReversed();
          const byPage: Shown[] = [];
          const byCursor: Shown[] = [];
          let cursor: string | null = null;
          for (let page = 1; page === 1 || cursor !== null; page++) {
            const query = { ...filter, pageSize: 4 };
            byPage.push(...(await ask({ ...query, sortBy, sortDir, page })).items);
            const body = await ask(cursor === null ? { ...query, sortBy, sortDir } : { ...query, cursor });
            assert.deepEqual([body.page, body.totalCount], [page, expected.length]);
            byCursor.push(...body.items);
            cursor = body.nextCursor;
          }
          assert.deepEqual(byPage, expected);
          assert.deepEqual(byCursor, expected);
        });
      }
    }
  }

  it('upwards where only the field is named', async () => {
    assert.deepEqual(await ask({ sortBy: 'price' }), await ask({ sortBy: 'price', sortDir: 'asc' }));
  });
});

describe('A list is refused', () => {
  it('with what it does not know, named', async () => {
    for (const [query, pointer] of [
      ['status=new', '/query/status'],
      ['kind=x', '/query/kind'],
      ['minPrice=x', '/query/minPrice'],
      ['minPrice=', '/query/minPrice'],
      ['minPrice=-1', '/query/minPrice'],
      ['maxPrice=10000000000000', '/query/maxPrice'],
      ['maxPrice=0.0000001', '/query/maxPrice'],
      ['inStock=maybe', '/query/inStock'],
      ['category=', '/query/category'],
      [`category=${'x'.repeat(501)}`, '/query/category'],
      ['tag=a%7Cb', '/query/tag'],
      ['q=', '/query/q'],
      ['q=%20', '/query/q'],
      [`q=${'x'.repeat(201)}`, '/query/q'],
      ['sortBy=stock', '/query/sortBy'],
      ['sortBy=relevance', '/query/sortBy'],
      ['q=%CC%81', '/query/q'],
      ['sortDir=up', '/query/sortDir'],
      ['page=0', '/query/page'],
      ['pageSize=101', '/query/pageSize'],
      ['cursor=x', '/query/cursor'],
      ['colour=blue', '/query/colour'],
    ] as const) {
      const { status, body, text } = await client.get(`${PRODUCTS}?${query}`);
      assert.equal(status, 400, text);
      assert.deepEqual(Object.keys(body.errors), [pointer]);
    }
    assert.equal((await client.get(`${PRODUCTS}?q=%00`)).status, 400);
    const many = await client.get(`${PRODUCTS}?status=x&kind=y&page=0`);
    assert.deepEqual(Object.keys(many.body.errors).sort(), ['/query/kind', '/query/page', '/query/status']);
  });

  it('with a cursor of another sort, or one that is made up', async () => {
    const { nextCursor } = await ask({ sortBy: 'price', pageSize: 2 });
    const { nextCursor: ranked } = await ask({ q: 'mug', pageSize: 2 });
    const madeUp = (more: object) =>
      Buffer.from(
        JSON.stringify({
          sortBy: 'price',
          sortDir: 'asc',
          value: '1',
          id: products[0]?.id,
          page: 2,
          ...more,
        }),
      ).toString('base64url');
    for (const query of [
      `sortBy=name&cursor=${nextCursor}`,
      `sortDir=desc&cursor=${nextCursor}`,
      `page=2&cursor=${nextCursor}`,
      `cursor=${ranked}`,
      `cursor=${madeUp({ value: 'x' })}`,
      `cursor=${madeUp({ value: '9'.repeat(30) })}`,
      `cursor=${madeUp({ sortBy: 'createdAt', value: 'never' })}`,
      `q=mug&cursor=${madeUp({ sortBy: 'relevance', value: 'high' })}`,
      `cursor=${madeUp({ sortBy: 'constructor' })}`,
      `cursor=${madeUp({ sortBy: 'id' })}`,
    ]) {
      const { status, body, text } = await client.get(`${PRODUCTS}?${query}`);
      assert.equal(status, 400, text);
      assert.deepEqual(Object.keys(body.errors), ['/query/cursor']);
    }
  });

  it('to whoever has no token or no permission', async () => {
    assert.equal((await api.anonymous.get(PRODUCTS)).status, 401);
    const writer = await clientWith(api, tenant, ['catalog.write']);
    const denied = await writer.get(PRODUCTS);
    assert.equal(denied.status, 403);
    assert.match(denied.body.detail, /catalog\.read/);
  });
});
