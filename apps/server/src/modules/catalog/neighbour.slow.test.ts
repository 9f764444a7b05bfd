import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from '#platform/db/page.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser, databaseUrl } from '#test/template.ts';
import { fillProducts, settle, withSearchIndexApart } from './many-products.fixture.ts';
import type { ProductFilter } from './product.filter.ts';
import { listProducts } from './product.list.ts';
import { findProduct } from './product.store.ts';
import { Explainer, type Plan, type Sent, sentBy } from './query-plans.fixture.ts';
import { SearchExplainer } from './search-plans.fixture.ts';

const NEIGHBOURS_PRODUCTS = 300_000;
const api = await openTestApi({ lanes: 1, poolSize: 2 });
const small = await api.newTenant();
const neighbour = await api.newTenant();
const others = [await api.newTenant(), await api.newTenant()];
const superuser = <T>(work: Parameters<typeof asSuperuser<T>>[1]): Promise<T> =>
  asSuperuser(api.cluster, work, api.databaseName);
const explainer = new Explainer(databaseUrl(api.cluster.appUrl, api.databaseName));
await explainer.open();
after(() => explainer.close());

const page = (column: string): Page => ({
  number: 1,
  size: 20,
  sortBy: column,
  sortDir: 'desc',
  column,
  after: undefined,
});

const lists: readonly (readonly [ProductFilter, string])[] = [
  [{}, 'created_at'],
  [{}, 'name_key'],
  [{ status: 'archived' }, 'created_at'],
  [{ category: 'category 7' }, 'created_at'],
  [{ tag: 'common' }, 'created_at'],
  [{ minPrice: '50' }, 'price_order'],
  [{ q: 'sku-0000123' }, 'rank'],
  [{ q: 'cafe' }, 'rank'],
];

async function sentOf(productId: string): Promise<Map<string, Sent>> {
  const sent = new Map<string, Sent>();
  for (const [filter, column] of lists) {
    const [rows, count] = await sentBy(small.id, (db) => listProducts(db, filter, page(column)));
    sent.set(`${JSON.stringify(filter)} by ${column}`, rows as Sent);
    if (count !== undefined) sent.set(`the count of ${JSON.stringify(filter)}`, count); // else it comes with the page
  }
  const [read] = await sentBy(small.id, (db) => findProduct(db, productId));
  return sent.set('one product', read as Sent);
}

/** Looked at the second time: the first call of a session reads the catalogue of the database as well. */
async function plansOf(productId: string): Promise<Map<string, Plan>> {
  const plans = new Map<string, Plan>();
  for (const [what, sent] of await sentOf(productId)) {
    await explainer.explain(small.id, sent);
    plans.set(what, await explainer.explain(small.id, sent));
  }
  await superuser(async (client) => {
    const searching = new SearchExplainer(client);
    for (const [what, sent] of await sentOf(productId)) {
      if (!what.includes('"q"') || what.includes('count')) continue;
      await searching.explain(small.id, sent);
      plans.set(`inside ${what}`, await searching.explain(small.id, sent));
    }
  });
  return plans;
}

/**
 * A tenth, or a page for each look-up: the tree of an index on all tenants' rows gets a level higher about every two
 * hundred times as many rows, and a loop goes down it once for each row that it joins.
 */
const allowed = (before: Plan): number => {
  const lookUps = before.nodes
    .filter((node) => node['Index Name'] !== undefined)
    .reduce((sum, node) => sum + node['Actual Loops'], 0);
  return Math.max(before.buffers * 1.1, before.buffers + 1 + lookUps);
};

/** Two indexes hold a tag of a product, and either finds it at once: which one is taken says nothing. */
const planOf = (what: string, { outline }: Plan): string =>
  what.includes('"tag"') ? outline.replace(/Index (?:Only )?Scan by \w+/g, 'Index Scan') : outline;

describe('A workspace of 300 products', () => {
  it(`is read by the same plans and pages after a neighbour has got ${NEIGHBOURS_PRODUCTS}`, async (t) => {
    const productId: string = await superuser(async (client) => {
      // Tables in use, whose indexes have the height that they keep: from some ten thousand rows to millions.
      await withSearchIndexApart(client, async () => {
        for (const { id } of others) await fillProducts(client, id, 25_000);
        await fillProducts(client, small.id, 300);
      });
      await settle(client);
      return (await client.query('select id from product where tenant_id = $1 limit 1', [small.id])).rows[0]
        .id;
    });
    const before = await plansOf(productId);
    await superuser(async (client) => {
      await withSearchIndexApart(client, () => fillProducts(client, neighbour.id, NEIGHBOURS_PRODUCTS));
      await settle(client);
    });
    const after = await plansOf(productId);
    const faults: string[] = [];
    for (const [what, was] of before) {
      const is = after.get(what) as Plan;
      t.diagnostic(`${what}: ${was.buffers} buffers before, ${is.buffers} after`);
      if (planOf(what, is) !== planOf(what, was)) faults.push(`${what} is planned anew\n${was}\n${is}`);
      if (is.buffers > allowed(was)) faults.push(`${what} touches more\n${was}\n${is}`);
    }
    assert.deepEqual(faults, []);
  });
});
