import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql as expression } from 'kysely';
import { listed, type Page, paged, shapeOf, valuesOf } from './page.ts';
import { query } from './query.ts';
import { openTwoTenants } from './two-tenants.fixture.ts';

const { api, a, b, sql } = await openTwoTenants();
const db = api.platform.db.reader(a);

/** Ties of every length, and values that a comparison as text would put elsewhere. */
const AMOUNTS = [5, 5, 5, 5, -3, 10, 9, 100, 0, 0, 7, 7, 7, -20, 10, 10, 5, 2, 2, 2, 2, 2, 2];
await sql(`create table listed_thing (
  tenant_id uuid not null default current_setting('app.tenant_id')::uuid, id uuid not null default gen_random_uuid(),
  amount bigint not null, made_at timestamptz not null, primary key (tenant_id, id))`);
await sql('alter table listed_thing owner to tenantry_owner');
await sql(`select secure_tenant_table('listed_thing')`);
for (const tenant of [a, b])
  await sql(
    `insert into listed_thing (tenant_id, amount, made_at)
     select $1, x, '2026-01-01Z'::timestamptz + x * interval '1 millisecond' from unnest($2::bigint[]) x`,
    [tenant, AMOUNTS],
  );

interface Row {
  readonly id: string;
  readonly amount: bigint;
}

async function read(page: Page) {
  const things = query.selectFrom(expression<Row>`listed_thing`.as('listed_thing')).selectAll();
  const rows = await db.rows(paged(things, shapeOf(page), valuesOf(page)));
  return listed(page, rows as unknown as Row[], [{ count: BigInt(AMOUNTS.length) }], (row) => row);
}

const firstPage = (column: string, sortDir: Page['sortDir'], size: number): Page => ({
  number: 1,
  size,
  sortBy: column,
  sortDir,
  column,
  after: undefined,
});

async function walk(page: Page): Promise<Row[]> {
  const { items, last } = await read(page);
  return last === undefined ? [...items] : [...items, ...(await walk({ ...page, after: last }))];
}

describe('A list', () => {
  for (const column of ['amount', 'made_at'] as const) {
    for (const sortDir of ['asc', 'desc'] as const) {
      it(`walked by its cursors shows each row once and in order: ${column} ${sortDir}`, async () => {
        for (const size of [1, 2, 3, 7, AMOUNTS.length - 1, AMOUNTS.length, 100]) {
          const rows = await walk(firstPage(column, sortDir, size));
          assert.equal(new Set(rows.map(({ id }) => id)).size, AMOUNTS.length, `pages of ${size}`);
          const sorted = AMOUNTS.toSorted((x, y) => (sortDir === 'asc' ? x - y : y - x));
          assert.deepEqual(
            rows.map(({ amount }) => Number(amount)),
            sorted,
          );
        }
      });
    }
  }

  it('by page numbers shows the same rows as by cursors, and nothing after the last', async () => {
    const page = firstPage('amount', 'desc', 5);
    const byCursor = await walk(page);
    const byNumber: Row[] = [];
    for (const number of [1, 2, 3, 4, 5, 6]) byNumber.push(...(await read({ ...page, number })).items);
    assert.deepEqual(byNumber, byCursor);
  });

  it('tells of a next page only where there is one', async () => {
    const page = firstPage('amount', 'asc', AMOUNTS.length);
    assert.equal((await read(page)).last, undefined);
    assert.notEqual((await read({ ...page, size: AMOUNTS.length - 1 })).last, undefined);
    assert.equal((await read(page)).totalCount, AMOUNTS.length);
  });
});
