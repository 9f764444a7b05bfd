import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from '#platform/db/page.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser, databaseUrl } from '#test/template.ts';
import { fillLedger, fillProducts, settle, withSearchIndexApart } from './many-products.fixture.ts';
import type { ProductFilter } from './product.filter.ts';
import { listProducts } from './product.list.ts';
import { findProduct } from './product.store.ts';
import { Explainer, type Plan, type Sent, sentBy } from './query-plans.fixture.ts';
import { SearchExplainer } from './search-plans.fixture.ts';
import { listMovements } from './stock.store.ts';

const PRODUCTS = 20_000;
const LEDGER = 5_000;
const SIZE = 20;
const api = await openTestApi({ lanes: 1, poolSize: 2 });
const big = await api.newTenant();
const small = await api.newTenant();
const neighbour = await api.newTenant();
const superuser = <T>(work: Parameters<typeof asSuperuser<T>>[1]): Promise<T> =>
  asSuperuser(api.cluster, work, api.databaseName);
const explainer = new Explainer(databaseUrl(api.cluster.appUrl, api.databaseName));
await explainer.open();
after(() => explainer.close());

/** Of the kept count, which comes with every page. */
const SLOTS = 16;
const COLUMNS = ['sku_key', 'name_key', 'price_order', 'created_at', 'updated_at'] as const;
type After = NonNullable<Page['after']>;

const pageBy = (column: string, sortDir: Page['sortDir'], from?: After): Page => ({
  number: 1,
  size: SIZE,
  sortBy: column,
  sortDir,
  column,
  after: from,
});

/** The statements of one list: its page and its count. */
const asked = async (tenantId: string, filter: ProductFilter, page: Page): Promise<[Sent, Sent]> =>
  (await sentBy(tenantId, (db) => listProducts(db, filter, page))) as [Sent, Sent];

/** A product in the middle, whichever way they are sorted: the deepest that a cursor gets. */
const middle = (tenantId: string, column: string): Promise<After> =>
  superuser(async (client) => {
    const { rows } = await client.query(
      `select ${column}::text as value, id from product where tenant_id = $1 and deleted_at is null
        order by ${column}, id offset (select count(*) / 2 from product where tenant_id = $1) limit 1`,
      [tenantId],
    );
    return rows[0];
  });

/** What each list may be narrowed by, a rare value and a common one. */
const singles = {
  rareStatus: { status: 'archived' },
  commonStatus: { status: 'active' },
  rareKind: { kind: 'service' },
  commonKind: { kind: 'goods' },
  rareCategory: { category: 'Rare' },
  commonCategory: { category: 'Category 7' },
  rareTag: { tag: 'rare' },
  commonTag: { tag: 'common' },
  highPrice: { minPrice: '990' },
  lowPrice: { maxPrice: '3' },
  anyPrice: { minPrice: '1' },
  outOfStock: { inStock: false },
  inStock: { inStock: true },
} satisfies Record<string, ProductFilter>;

const combined: readonly ProductFilter[] = [
  { minPrice: '10', maxPrice: '12' },
  { ...singles.commonTag, ...singles.rareCategory },
  { ...singles.rareTag, ...singles.commonStatus },
  { ...singles.rareStatus, ...singles.rareKind },
  { ...singles.inStock, ...singles.commonCategory, minPrice: '10' },
  { ...singles.commonStatus, ...singles.commonKind, ...singles.rareTag, maxPrice: '500', inStock: true },
];

const matchesOf = async (filter: ProductFilter): Promise<number> =>
  (await listProducts(api.platform.db.reader(big.id), filter, pageBy('created_at', 'asc'))).totalCount;

/** Each condition alone matches at least what all of them do; an index can serve one of them. */
async function fewest(filter: ProductFilter): Promise<number> {
  const { minPrice, maxPrice, ...others } = filter;
  const price = { ...(minPrice && { minPrice }), ...(maxPrice && { maxPrice }) };
  const each = [price, ...Object.entries(others).map(([name, value]) => ({ [name]: value }))];
  const counts = await Promise.all(
    each.filter((one) => Object.keys(one).length > 0).map((one) => matchesOf(one)),
  );
  return Math.min(...counts);
}

function assertIndexed(plan: Plan, rowsMax: number, what: string): void {
  // What a search does inside is looked at further down; its count needs nothing else.
  const isFunctionAlone = plan.rowsRead === 0 && plan.toString().includes('Function Scan');
  assert.ok(plan.indexes.length > 0 || isFunctionAlone, `${what} uses no index\n${plan}`);
  assert.ok(!plan.isSeqScan, `${what} scans a table\n${plan}`);
  assert.ok(plan.rowsRead <= rowsMax, `${what} may read ${rowsMax} rows\n${plan}`);
  // A scan may pass by entries of an index without a word in the plan, but not without touching their pages.
  assert.ok(plan.buffers <= 4 * rowsMax + 50, `${what} touches too much for ${rowsMax} rows\n${plan}`);
}

const told = (filter: ProductFilter, page: Page): string =>
  `${JSON.stringify(filter)} by ${page.column} ${page.sortDir}${page.after ? ' from a cursor' : ''}`;

await superuser(async (client) => {
  await withSearchIndexApart(client, () => fillProducts(client, big.id, PRODUCTS));
  await fillProducts(client, small.id, 300);
  // Were it alone in the tables, to read one of them from end to end would be right now and then.
  await fillProducts(client, neighbour.id, PRODUCTS, { isSearched: false });
});
const middles = new Map<string, After>();
for (const column of COLUMNS) middles.set(column, await middle(big.id, column));
const { id: productId } = middles.get('sku_key') as After;

const pagesBy = (columns: readonly string[]): Page[] =>
  columns.flatMap((column) =>
    (['asc', 'desc'] as const).flatMap((sortDir) => [
      pageBy(column, sortDir),
      pageBy(column, sortDir, middles.get(column)),
    ]),
  );

async function checkUnfiltered(): Promise<void> {
  for (const page of pagesBy(COLUMNS)) {
    const [rows] = await asked(big.id, {}, page);
    assert.equal(rows.over, 'lane');
    for (const plan of [await explainer.explain(big.id, rows), await explainer.explainKept(big.id, rows)]) {
      assertIndexed(plan, 2 * (SIZE + 1) + SLOTS, told({}, page));
      assert.ok(plan.rowsSorted <= 2 * (SIZE + 1), `${told({}, page)} sorts\n${plan}`);
    }
  }
}

async function checkPointReads(salesReadMax: number): Promise<void> {
  const [get] = await sentBy(big.id, (db) => findProduct(db, productId));
  const [all, page, kind] = await sentBy(big.id, (db) =>
    listMovements(db, productId, 'sale', pageBy('number', 'desc')),
  );
  for (const sent of [get, all] as Sent[]) {
    assertIndexed(await explainer.explain(big.id, sent), 1, sent.text);
    assertIndexed(await explainer.explainKept(big.id, sent), 1, sent.text);
  }
  assertIndexed(await explainer.explain(big.id, page as Sent), salesReadMax, 'sales of a ledger');
  assertIndexed(await explainer.explain(big.id, kind as Sent), LEDGER, 'the count of sales of a ledger');
  for (const sortDir of ['asc', 'desc'] as const) {
    for (const from of [undefined, { value: String(LEDGER / 2), id: productId }]) {
      const sent = await sentBy(big.id, (db) =>
        listMovements(db, productId, undefined, pageBy('number', sortDir, from)),
      );
      const plan = await explainer.explain(big.id, sent[1] as Sent);
      assertIndexed(plan, 2 * (SIZE + 1), `a ledger ${sortDir}`);
      assert.ok(plan.rowsSorted <= 2 * (SIZE + 1), `a ledger ${sortDir} sorts\n${plan}`);
    }
  }
}

describe('The database, without ever having gathered statistics,', () => {
  it('reads no more than a page of an unfiltered list, wherever it begins', checkUnfiltered);

  it('finds a product and walks its ledger by their keys', async () => {
    await superuser(async (client) => {
      await fillLedger(client, big.id, productId, LEDGER);
      await fillLedger(client, big.id, (middles.get('name_key') as After).id, 4 * LEDGER);
    });
    await checkPointReads(LEDGER); // it may sort the sales of this one ledger
  });

  it('scans no table for a filter', async () => {
    for (const filter of Object.values(singles).filter((each) => !('tag' in each))) {
      for (const sent of await asked(big.id, filter, pageBy('created_at', 'desc')))
        assertIndexed(await explainer.explain(big.id, sent), PRODUCTS, JSON.stringify(filter));
    }
  });
});

describe('The database, with statistics,', () => {
  it('is given them', () => superuser(settle));

  it('reads no more than a page of an unfiltered list, wherever it begins', checkUnfiltered);

  it('finds a product and walks its ledger by their keys', () =>
    // Every tenth movement is a sale: the ledger is walked until enough are found.
    checkPointReads(12 * (SIZE + 1)));

  it('reads as many rows as are skipped for a page by its number, in the order of an index', async () => {
    const [rows] = await asked(big.id, {}, { ...pageBy('name_key', 'asc'), number: 100 });
    const plan = await explainer.explain(big.id, rows);
    assertIndexed(plan, 100 * SIZE + 1 + SLOTS, 'page 100');
    assert.equal(plan.rowsSorted, 0);
  });

  for (const filter of [...Object.values(singles), ...combined]) {
    it(`reads what matches, or walks a little way to a page: ${JSON.stringify(filter)}`, async () => {
      const matches = await fewest(filter);
      const isOne = Object.keys(filter).length === 1;
      // Either all that matches, to be sorted, or along the order until a page is found. What has a tag is always sorted,
      // but for the newest: no index knows any other order of it.
      const walk =
        isOne && !('tag' in filter) ? (SIZE + 1) * Math.max(2, PRODUCTS / matches) : Number.POSITIVE_INFINITY;
      for (const page of pagesBy(COLUMNS)) {
        const [rows] = await asked(big.id, filter, page);
        const plan = await explainer.explain(big.id, rows);
        assertIndexed(plan, 5 * Math.min(matches + SIZE + 1, walk), told(filter, page));
      }
      const [, count] = await asked(big.id, filter, pageBy('created_at', 'desc'));
      const plan = await explainer.explain(big.id, count);
      assertIndexed(plan, 4 * matches + 10, `the count of ${JSON.stringify(filter)}`);
    });
  }

  const searches = ['sku-0001234', '1234', 'lisbon', 'cafe', 'nothing-of-the-kind'];
  it('has the function of the search loaded', async () => {
    const [rows] = await asked(big.id, { q: 'x' }, pageBy('rank', 'desc'));
    await explainer.explain(big.id, rows); // the first call in a session also reads the catalogue of the database
  });

  for (const q of searches) {
    it(`reads the products that a search has found and no others: ${q}`, async () => {
      const found = await matchesOf({ q });
      for (const filter of [
        { q },
        { q, ...singles.rareStatus },
        { q, ...singles.commonTag, minPrice: '5' },
      ]) {
        const by = (sortDir: Page['sortDir']): Page[] => [
          pageBy('rank', sortDir),
          pageBy('rank', sortDir, { value: '50', id: productId }),
        ];
        for (const page of [...by('asc'), ...by('desc'), ...pagesBy(['name_key', 'created_at'])]) {
          const [rows] = await asked(big.id, filter, page);
          // With a filter each product that was found is looked up once more: for its tag.
          assertIndexed(await explainer.explain(big.id, rows), 2 * found + 5, told(filter, page));
        }
        const [, count] = await asked(big.id, filter, pageBy('rank', 'desc'));
        if (count === undefined) continue; // a search by itself brings its count along
        assertIndexed(await explainer.explain(big.id, count), 2 * found + 5, `the count of ${q}`);
      }
    });
  }
});

describe('A search', () => {
  const askedFor = async (tenantId: string, q: string): Promise<Sent> =>
    (await asked(tenantId, { q }, pageBy('rank', 'desc')))[0];

  it('goes by the index of keys and reads a few rows, whichever workspace its session has served before', () =>
    superuser(async (client) => {
      const searching = new SearchExplainer(client);
      const check = async (tenantId: string, q: string, rowsMax: number): Promise<void> => {
        const plan = await searching.explain(tenantId, await askedFor(tenantId, q));
        assert.ok(plan.indexes.includes('product_search_keys'), `${q}\n${plan}`);
        assertIndexed(plan, rowsMax, q);
      };
      for (let round = 0; round < 8; round++) await check(small.id, 'sku-0000123', 60);
      await check(big.id, 'sku-0001234', 60);
      await check(big.id, 'lisbon', 60);
      await check(big.id, 'cafe 95', 500);
      await check(big.id, 'nothing-of-the-kind', 5);
      for (let round = 0; round < 8; round++) await check(big.id, 'sku-0001234', 60);
      await check(small.id, 'lisbon', 5);
    }));
});
