import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';

const api = await openTestApi();
const PATH = '/api/settings/api-clients';
const { client } = await api.newTenant();

// Names come in threes, so that every page ends inside a tie; each three is made at a time of its own.
for (const name of ['b', 'a', 'Z', 'ä', 'a b', '_', '%', "o'b"]) {
  api.clock.advance(1_000);
  for (let count = 0; count < 3; count++) await client.post(PATH, { name });
}
const TOTAL = 25; // with the first client of the workspace

async function walk(query: string, eachPage = async (): Promise<void> => {}): Promise<{ id: string }[]> {
  const items: { id: string }[] = [];
  let cursor = '';
  do {
    const { status, body, text } = await client.get(`${PATH}?${query}${cursor}`);
    assert.equal(status, 200, text);
    items.push(...body.items);
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    await eachPage();
  } while (cursor !== '');
  return items;
}

const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id);

describe('A cursor walks everything exactly once', () => {
  for (const sortBy of ['name', 'createdAt']) {
    for (const sortDir of ['asc', 'desc']) {
      for (const pageSize of [1, 4, 7, 25, 100]) {
        it(`by ${sortBy}, ${sortDir}, in pages of ${pageSize}`, async () => {
          const sort = `sortBy=${sortBy}&sortDir=${sortDir}`;
          const walked = idsOf(await walk(`${sort}&pageSize=${pageSize}`));
          const { body } = await client.get(`${PATH}?${sort}&pageSize=100`);
          assert.deepEqual(walked, idsOf(body.items));
          assert.equal(new Set(walked).size, TOTAL);
        });
      }
    }
  }

  it('the other way round in the reverse order, ties included', async () => {
    const up = idsOf(await walk('sortBy=name&sortDir=asc&pageSize=4'));
    const down = idsOf(await walk('sortBy=name&sortDir=desc&pageSize=4'));
    assert.deepEqual(down, up.reverse());
  });

  it('past the longest name, of the longest characters', async () => {
    const other = await api.newTenant();
    for (let count = 0; count < 2; count++) await other.client.post(PATH, { name: '🛒'.repeat(200) });
    const { body } = await other.client.get(`${PATH}?pageSize=2`);
    const next = await other.client.get(`${PATH}?pageSize=2&cursor=${body.nextCursor}`);
    assert.equal(next.status, 200, next.text);
    assert.equal(next.body.items.length, 1);
  });

  it('and keeps its sort and counts its pages by itself', async () => {
    const first = await client.get(`${PATH}?sortBy=createdAt&sortDir=desc&pageSize=4`);
    const second = await client.get(`${PATH}?pageSize=4&cursor=${first.body.nextCursor}`);
    assert.equal(second.body.page, 2);
    assert.equal(second.body.totalCount, TOTAL);
    const { body } = await client.get(`${PATH}?sortBy=createdAt&sortDir=desc&pageSize=4&page=2`);
    assert.deepEqual(second.body.items, body.items);
  });

  it('but not in another sort', async () => {
    const { body } = await client.get(`${PATH}?sortBy=name&pageSize=4`);
    for (const sort of ['sortBy=createdAt', 'sortBy=name&sortDir=desc', 'sortDir=desc']) {
      const reply = await client.get(`${PATH}?${sort}&cursor=${body.nextCursor}`);
      assert.equal(reply.status, 400);
      assert.deepEqual(Object.keys(reply.body.errors), ['/query/cursor']);
    }
  });
});

describe('A list', () => {
  it('has pages of 20 from 1 unless asked otherwise, sorted by name', async () => {
    const { body } = await client.get(PATH);
    assert.deepEqual(
      { ...body, items: body.items.length, nextCursor: typeof body.nextCursor },
      { items: 20, totalCount: TOTAL, page: 1, pageSize: 20, nextCursor: 'string' },
    );
    const { body: named } = await client.get(`${PATH}?sortBy=name&sortDir=asc`);
    assert.deepEqual(named.items, body.items);
  });

  it('is empty after its last page, with the same count', async () => {
    for (const page of [26, 1_000_000]) {
      const { status, body } = await client.get(`${PATH}?pageSize=1&page=${page}`);
      assert.equal(status, 200);
      assert.deepEqual(body, { items: [], totalCount: TOTAL, page, pageSize: 1, nextCursor: null });
    }
  });

  it('shows each item on exactly one of its numbered pages', async () => {
    const ids: string[] = [];
    for (let page = 1; page <= 7; page++)
      ids.push(...idsOf((await client.get(`${PATH}?pageSize=4&page=${page}`)).body.items));
    assert.equal(ids.length, TOTAL);
    assert.equal(new Set(ids).size, TOTAL);
  });

  it('says what is allowed where something is not', async () => {
    const { body } = await client.get(`${PATH}?page=0&pageSize=101&sortBy=secret&sortDir=up`);
    assert.deepEqual(body.errors, {
      '/query/page': ['must be at least 1'],
      '/query/pageSize': ['must be at most 100'],
      '/query/sortBy': ['must be one of name, createdAt'],
      '/query/sortDir': ['must be one of asc, desc'],
    });
  });

  it('searches for what stands there, not for patterns', async () => {
    for (const [q, count] of [
      ['%', 3],
      ["o'b", 3],
      ['a', 'some'],
      ['\\', 0],
      ['__', 0],
    ] as const) {
      const { body } = await client.get(`${PATH}?q=${encodeURIComponent(q)}&pageSize=100`);
      assert.equal(body.items.length, body.totalCount);
      if (count !== 'some') assert.equal(body.totalCount, count, q);
      for (const { name, clientId } of body.items)
        assert.ok(`${name} ${clientId}`.toLowerCase().includes(q), name);
    }
  });

  it('counts exactly what its filter leaves, whatever the page', async () => {
    const { body: made } = await client.post(PATH, { name: 'to be disabled' });
    await client.put(`${PATH}/${made.id}`, { status: 'disabled' });
    const { body } = await client.get(`${PATH}?status=disabled&pageSize=1`);
    assert.equal(body.totalCount, 1);
    assert.equal(body.items[0].id, made.id);
    assert.equal(body.nextCursor, null);
    await client.delete(`${PATH}/${made.id}`);
    assert.equal((await client.get(`${PATH}?status=disabled`)).body.totalCount, 0);
    assert.equal((await client.get(PATH)).body.totalCount, TOTAL);
  });
});

it('Inserts and removals while a cursor walks neither repeat nor skip what was there all along', async () => {
  const before = idsOf(await walk('pageSize=100'));
  const made: string[] = [];
  const walked = idsOf(
    await walk('sortBy=name&pageSize=4', async () => {
      const { body } = await client.post(PATH, { name: '!first of all' });
      made.push(body.id);
      if (made.length % 2 === 0) await client.delete(`${PATH}/${made[0]}`);
    }),
  );
  assert.equal(new Set(walked).size, walked.length);
  assert.deepEqual(walked.filter((id) => before.includes(id)).sort(), before.sort());
});
