import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldText } from '#kernel/folded-text.ts';
import { openTestApi } from '#test/harness.ts';
import { makeProduct, PRODUCTS, pathOf } from '../product.fixture.ts';

const api = await openTestApi();
const { client } = await api.newTenant();
const rival = await api.newTenant();

interface Shown {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly barcode: string | null;
  readonly description: string | null;
  readonly kind: string;
}

const catalog = [
  {
    sku: 'CAF-01',
    name: 'Café au lait',
    barcode: '4006381333931',
    description: 'Strong, with milk. 100% arabica',
  },
  { sku: 'STR-02', name: 'Hauptstraße sign', description: 'null and void; do not remove' },
  { sku: 'gr_03%x', name: 'Ελληνικός καφές', description: 'ΟΔΟΣ ΑΘΗΝΑΣ' },
  { sku: 'RU\\04', name: 'Самовар ёлочный', description: "O'Brien's own" },
  { sku: 'AR-05', name: 'قهوة عَرَبيَّة', description: 'Arabic coffee' },
  {
    sku: 'TS-06',
    name: 'T-shirt "Größe" L',
    barcode: '96385074',
    description: 'Cotton; café-proof',
    kind: 'service',
  },
  { sku: '07.08/09', name: 'Mug & cup (blue)', description: null },
  { sku: 'X', name: '茶碗 bowl', description: 'A bowl, for tea – 茶' },
  { sku: 'ZZZ-🛒', name: 'Cart 🛒🛍', description: '' },
];
const products: Shown[] = [];
for (const product of catalog) {
  products.push(await makeProduct(client, product));
  await makeProduct(rival.client, product);
}

async function search(q: string, more = ''): Promise<Shown[]> {
  const { status, body, text } = await client.get(
    `${PRODUCTS}?pageSize=100&q=${encodeURIComponent(q)}${more}`,
  );
  assert.equal(status, 200, text);
  assert.equal(body.totalCount, body.items.length);
  return body.items;
}
const skus = async (q: string, more = ''): Promise<string[]> =>
  (await search(q, more)).map(({ sku }) => sku).sort();

/** What a search must find, said as plainly as can be. */
function isFound({ sku, name, barcode, description }: Shown, q: string): boolean {
  const texts = [foldText(sku), foldText(name), barcode ?? ''];
  const wordsIn = (text: string): string[] => foldText(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const words = wordsIn(description ?? '');
  return foldText(q)
    .split(' ')
    .every((term) => {
      const asked = wordsIn(term);
      const isDescribed = asked.length > 0 && asked.every((word) => words.includes(word));
      return isDescribed || texts.some((text) => text.includes(term));
    });
}

describe('A search finds', () => {
  for (const [q, expected] of [
    ['cafe', ['CAF-01', 'TS-06']],
    ['CAFÉ', ['CAF-01', 'TS-06']],
    ['caf-', ['CAF-01']],
    ['STRASSE', ['STR-02']],
    ['straße', ['STR-02']],
    ['grosse', ['TS-06']],
    ['ΕΛΛΗΝΙΚΟΣ', ['gr_03%x']],
    ['ελληνικος καφες', ['gr_03%x']],
    ['ΚΑΦΕΣ', ['gr_03%x']],
    ['οδος', ['gr_03%x']],
    ['САМОВАР', ['RU\\04']],
    ['елоч', ['RU\\04']],
    ['عربية', ['AR-05']],
    ['茶', ['X']],
    ['🛒', ['ZZZ-🛒']],
    ['638133', ['CAF-01']],
    ['96385074', ['TS-06']],
    ['lait milk', ['CAF-01']],
    ['milk strong caf', ['CAF-01']],
    ['milk tea', []],
    ['mil', []],
    ['null', ['STR-02']],
    ['NULL void', ['STR-02']],
    ['100%', ['CAF-01']],
    ["o'brien", ['RU\\04']],
    ['t-shirt', ['TS-06']],
    ['shirt "gr', ['TS-06']],
    ['%', ['gr_03%x']],
    ['_', ['gr_03%x']],
    ['_03%', ['gr_03%x']],
    ['\\', ['RU\\04']],
    ['caf_01', []],
    ['c%f', []],
    ['08/09', ['07.08/09']],
    ['(blue)', ['07.08/09']],
    ['&', ['07.08/09']],
    ['mug | cup', []],
    ['{a,b}', []],
    ["'; drop table product; --", []],
    ['x', ['X', 'gr_03%x']],
    ['07', ['07.08/09', 'TS-06']],
    ['74', ['TS-06']],
    ['–', []],
    ['bowl bowl bowl', ['X']],
    ['a b c d e f g h i j k l m n', []],
  ] as const) {
    it(`by ${q} ${expected.length === 0 ? 'nothing' : expected.join(' and ')}`, async () => {
      assert.deepEqual(await skus(q), [...expected].sort());
    });
  }

  it('whatever part of whatever text is asked for, and nothing that lacks it', async () => {
    const texts = catalog.flatMap(({ sku, name, barcode, description }) => [
      sku,
      name,
      barcode ?? '',
      description ?? '',
    ]);
    const part = fc
      .tuple(
        fc.constantFrom(...texts.filter((text) => text !== '')),
        fc.nat(60),
        fc.integer({ min: 1, max: 9 }),
      )
      .map(([text, from, length]) =>
        [...text]
          .slice(from % [...text].length)
          .slice(0, length)
          .join(''),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 3 }), async (parts) => {
        const q = parts.join(' ');
        fc.pre(foldText(q) !== '');
        const expected = products.filter((product) => isFound(product, q)).map(({ sku }) => sku);
        assert.deepEqual(await skus(q), expected.sort(), q);
      }),
      { numRuns: 80 },
    );
  });

  it('never what another workspace has, though it says the same', async () => {
    const own = new Set(products.map(({ id }) => id));
    for (const q of ['cafe', 'x', '茶', 'null', '4006381333931'])
      for (const { id } of await search(q)) assert.ok(own.has(id));
    const newcomer = await api.newTenant();
    assert.equal((await newcomer.client.get(`${PRODUCTS}?q=cafe`)).body.totalCount, 0);
  });

  it('the new text after a change, and the old one no more', async () => {
    const { client: other } = await api.newTenant();
    const found = async (q: string) => (await other.get(`${PRODUCTS}?q=${q}`)).body.totalCount;
    const made = await makeProduct(other, {
      sku: 'OLD-1',
      name: 'Former',
      barcode: '96385074',
      description: 'bygone',
    });
    const changes = { sku: 'NEW-2', name: 'Latter', barcode: '4006381333931', description: 'modern' };
    await other.put(pathOf(made), { ...made, ...changes });
    for (const q of ['old-1', 'form', '96385074', 'bygone']) assert.equal(await found(q), 0, q);
    for (const q of ['new-2', 'latt', '400638', 'modern']) assert.equal(await found(q), 1, q);
  });
});

describe('A search goes together', () => {
  it('with every filter', async () => {
    for (const [more, expected] of [
      ['&kind=service', ['TS-06']],
      ['&kind=goods', ['CAF-01']],
      ['&status=archived', []],
      ['&minPrice=12.50&maxPrice=12.50', ['CAF-01', 'TS-06']],
      ['&minPrice=12.500001', []],
      ['&inStock=true', []],
      ['&inStock=false&status=active', ['CAF-01', 'TS-06']],
      ['&tag=x', []],
      ['&category=x', []],
    ] as const)
      assert.deepEqual(await skus('cafe', more), [...expected], more);
  });

  it('with every sort, and is walked by page and by cursor without gap or repeat', async () => {
    const { client: other } = await api.newTenant();
    const made = [];
    for (let i = 0; i < 11; i++) {
      if (i % 3 === 0) api.clock.advance(1_000);
      made.push(await makeProduct(other, { name: `${'ab'[i % 2]} mug`, price: i % 3, description: 'mug' }));
      await makeProduct(other, { name: 'other' });
    }
    for (const sort of ['', 'relevance', 'sku', 'name', 'price', 'createdAt', 'updatedAt']) {
      const walked: Record<string, string[]> = {};
      for (const sortDir of ['asc', 'desc']) {
        const query = `q=mug&pageSize=4${sort === '' ? '' : `&sortBy=${sort}`}&sortDir=${sortDir}`;
        const ids: string[] = [];
        const byPage: string[] = [];
        let after = '';
        for (let page = 1; page === 1 || after !== ''; page++) {
          const { body } = await other.get(`${PRODUCTS}?${query}${after}`);
          const { body: paged } = await other.get(`${PRODUCTS}?${query}&page=${page}`);
          ids.push(...body.items.map(({ id }: Shown) => id));
          byPage.push(...paged.items.map(({ id }: Shown) => id));
          assert.deepEqual([body.totalCount, paged.totalCount], [11, 11]);
          after = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
        }
        assert.deepEqual(ids.toSorted(), made.map(({ id }) => id).sort(), query);
        assert.deepEqual(byPage, ids);
        walked[sortDir] = ids;
      }
      assert.deepEqual(walked.asc, walked.desc?.toReversed(), sort);
    }
  });

  it('with the best match first, unless another sort is asked for', async () => {
    const { client: other } = await api.newTenant();
    const ranked = [
      { sku: 'Green-Tea', name: 'Box' },
      { sku: 'R-1', name: 'GREEN-TEA' },
      { sku: 'green-tea-2', name: 'Box' },
      { sku: 'R-2', name: 'Green-teapot' },
      { sku: 'R-3', name: 'Fine green-tea' },
      { sku: 'R-4', name: 'Evergreen-tea' },
      { sku: 'R-green-tea', name: 'Box' },
      { sku: 'R-5', name: 'Box', description: 'Of green-tea' },
    ];
    for (const product of ranked.toReversed()) await makeProduct(other, product);
    for (const more of ['', '&sortBy=relevance', '&sortBy=relevance&sortDir=desc']) {
      const { body } = await other.get(`${PRODUCTS}?q=green-tea${more}`);
      assert.deepEqual(
        body.items.map(({ sku }: Shown) => sku),
        ranked.map(({ sku }) => sku),
      );
    }
    const { body } = await other.get(`${PRODUCTS}?q=green-tea&sortBy=sku`);
    const sorted = ranked.map(({ sku }) => sku).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    assert.deepEqual(
      body.items.map(({ sku }: Shown) => sku),
      sorted,
    );
  });
});
