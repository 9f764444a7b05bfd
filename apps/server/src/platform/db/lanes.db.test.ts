import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseUrl } from '#test/template.ts';
import { DatabaseUnavailable } from './connection.ts';
import type { ResultSet, Statement } from './group-query.ts';
import { Lanes } from './lanes.ts';
import { preparedSql } from './query.ts';
import { tenantSetting } from './tenant-reader.ts';
import { openTwoTenants, type Thing } from './two-tenants.fixture.ts';

const { api, a, b, sql, kill } = await openTwoTenants();
const url = databaseUrl(api.cluster.appUrl, api.databaseName);

async function withLanes<T>(count: number, work: (lanes: Lanes) => Promise<T>): Promise<T> {
  const lanes = new Lanes(url, count);
  try {
    return await work(lanes);
  } finally {
    await lanes.close();
  }
}

const ALL = preparedSql<Thing>('select * from thing order by n');
const asTenant = async (lanes: Lanes, tenant: string, statement: Statement): Promise<Thing[]> =>
  (await lanes.run([tenantSetting(tenant), statement]))[1]?.rows as unknown as Thing[];

const assertOwn = (rows: readonly Thing[], tenant: string): void => {
  for (const row of rows) {
    assert.equal(row.tenant_id, tenant);
    if (row.note !== null) assert.ok(row.note.startsWith(tenant));
  }
};

/** Repeatable chance: a failing run can be run again. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe('A lane', () => {
  it('answers with an error, never with rows, when setting the tenant fails', async () => {
    await withLanes(1, async (lanes) => {
      assert.equal((await asTenant(lanes, a, ALL())).length, 30); // the tenant before must not shine through
      const settings: Statement[] = [
        { text: `select set_config('app.tenant_id', $1, true)`, values: ['no uuid'] },
        { text: `select set_config('app.tenant_id', (1 / $1::int)::text, true)`, values: [0] },
        { text: `select set_config('app tenant', $1, true)`, values: [b] },
        { text: 'select nothing_of_that_name()', values: [] },
        { text: 'select 1', values: [] },
        { text: `select set_config('app.tenant_id', null, true)`, values: [] },
      ];
      for (const setting of settings) {
        await assert.rejects(lanes.run([setting, ALL()]), setting.text);
        assertOwn(await asTenant(lanes, b, ALL()), b);
      }
      await assert.rejects(lanes.run([ALL()]), { code: '22P02' });
    });
  });

  it('gives each of thousands of interleaved reads its own rows', async () => {
    await withLanes(1, async (lanes) => {
      const next = chance(7);
      const reads = Array.from({ length: 4_000 }, async (_, index) => {
        const tenant = next(2) === 0 ? a : b;
        const kind = next(6);
        if (kind === 0)
          return assert.rejects(asTenant(lanes, tenant, preparedSql(`select 1 / $1::int, ${next(5)}`)(0)), {
            code: '22012',
          });
        if (kind === 1)
          return assert.rejects(asTenant(lanes, tenant, preparedSql(`select x from nowhere_${next(3)}`)()), {
            code: '42P01',
          });
        if (kind === 2)
          return assert.deepEqual(
            await asTenant(lanes, tenant, preparedSql('select * from thing where n < $1')(0)),
            [],
          );
        if (kind === 3) {
          // First seen by many at once: one of them prepares it, the others rely on that.
          const statement = preparedSql<Thing>(`select *, ${next(20)} as extra from thing where n = $1`);
          const n = 1 + next(30);
          const rows = await asTenant(lanes, tenant, statement(n));
          assertOwn(rows, tenant);
          return assert.deepEqual(
            rows.map((row) => row.n),
            [n],
          );
        }
        if (kind === 4) {
          const [row] = await asTenant(lanes, tenant, {
            text: 'select $1::text as note, $2::uuid as tenant_id',
            values: [`${tenant} ${index}`, tenant],
          });
          return assert.deepEqual(row, { note: `${tenant} ${index}`, tenant_id: tenant });
        }
        const rows = await asTenant(
          lanes,
          tenant,
          next(4) === 0
            ? ALL()
            : preparedSql<Thing>('select * from thing where n between $1 and $1 + 2 order by n')(next(28)),
        );
        return assertOwn(rows, tenant);
      });
      await Promise.all(reads);
    });
  });

  it('knows the columns of a statement though it was prepared anew while reads were under way', async () => {
    await withLanes(1, async (lanes) => {
      const statement = preparedSql<Thing>(
        'select n, tenant_id, $1::int / $2::int as share from thing where n = 2',
      );
      await asTenant(lanes, a, statement(1, 1));
      const work: Promise<unknown>[] = [];
      for (let round = 0; round < 300; round++) {
        const tenant = round % 2 === 0 ? a : b;
        const failing = asTenant(lanes, tenant, statement(1, 0));
        const behind = asTenant(lanes, tenant, statement(4, 2));
        // Sent once the failure is known, so it prepares the statement anew before `behind` has been answered.
        const anew = failing.catch(() => asTenant(lanes, tenant, statement(6, 2)));
        work.push(
          assert.rejects(failing, { code: '22012' }),
          behind.then((rows) => assert.deepEqual(rows, [{ n: 2, tenant_id: tenant, share: 2 }])),
          anew.then((rows) => assert.deepEqual(rows, [{ n: 2, tenant_id: tenant, share: 3 }])),
        );
      }
      await Promise.all(work);
    });
  });

  for (const count of [1, 3]) {
    it(`never answers with wrong rows when its connection is killed, and recovers (${count})`, async () => {
      await withLanes(count, async (lanes) => {
        for (let round = 0; round < 3; round++) {
          await asTenant(lanes, a, ALL());
          const reads = Array.from({ length: 200 }, (_, index) => {
            const tenant = index % 2 === 0 ? a : b;
            return asTenant(lanes, tenant, ALL()).then(
              (rows) => {
                assert.equal(rows.length, 30);
                assertOwn(rows, tenant);
              },
              (error) => assert.ok(error instanceof DatabaseUnavailable, String(error)),
            );
          });
          await kill('tenantry lane');
          await Promise.all(reads);
          assertOwn(await asTenant(lanes, b, ALL()), b);
        }
      });
    });

    it(`prepares anew what the server has forgotten: 26000 (${count})`, async () => {
      await withLanes(count, async (lanes) => {
        const everywhere = () => Promise.all(Array.from({ length: 50 }, () => asTenant(lanes, a, ALL())));
        await everywhere();
        await Promise.all(
          Array.from({ length: count }, () => lanes.run([{ text: 'deallocate all', values: [] }])),
        );
        for (const rows of await everywhere()) assertOwn(rows, a);
      });
    });

    it(`prepares anew what has other columns now: 0A000 (${count})`, async () => {
      await withLanes(count, async (lanes) => {
        const statement = preparedSql<Thing & { extra: string }>('select * from thing where n = $1');
        const everywhere = () =>
          Promise.all(
            Array.from({ length: 60 }, (_, index) => asTenant(lanes, index % 2 ? a : b, statement(2))),
          );
        await everywhere();
        await sql(
          `alter table thing add column extra_${count} text default 'new', drop column if exists extra_0`,
        );
        for (const [index, [row]] of (await everywhere()).entries()) {
          assert.deepEqual(row, { ...row, n: 2, tenant_id: index % 2 ? a : b, [`extra_${count}`]: 'new' });
        }
      });
    });
  }

  it('ends a slow query, and goes on with those behind it', async () => {
    await withLanes(1, async (lanes) => {
      const slow = asTenant(lanes, a, { text: 'select pg_sleep(60)', values: [] });
      const behind = [asTenant(lanes, b, ALL()), asTenant(lanes, a, ALL())];
      await assert.rejects(slow, { code: '57014' });
      const [ofB = [], ofA = []] = await Promise.all(behind);
      assertOwn(ofB, b);
      assertOwn(ofA, a);
    });
  });

  it('refuses a value that cannot be sent before anything is sent', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const hostile = {
      toPostgres: () => {
        throw new Error('no');
      },
    };
    await withLanes(1, async (lanes) => {
      const before = asTenant(lanes, a, ALL());
      for (const values of [
        [circular],
        ['fine', hostile],
        [1n, Object.create(null, { toJSON: { value: hostile.toPostgres } })],
      ]) {
        await assert.rejects(
          asTenant(lanes, a, preparedSql('select $1::text, $2::text')(...values)),
          (error) => !('severity' in (error as Error)),
        );
      }
      await assert.rejects(
        asTenant(lanes, a, { text: 'select 1', values: new Array(65_536).fill(1) }),
        /at most 65535 values/,
      );
      assertOwn(await before, a);
      assertOwn(await asTenant(lanes, b, ALL()), b);
    });
  });

  it('tells DatabaseUnavailable once it is closed, and when nobody listens', async () => {
    const closed = new Lanes(url, 1);
    await closed.close();
    await assert.rejects(closed.run([ALL()]), DatabaseUnavailable);
    const nowhere = new Lanes('postgres://nobody:x@127.0.0.1:1/nothing', 2);
    await assert.rejects(nowhere.run([ALL()]), DatabaseUnavailable);
    await nowhere.close();
  });

  it('reads NULL, bigint, dates and times as the types that they are', async () => {
    await withLanes(1, async (lanes) => {
      const text = `select null::int as nothing, 9007199254740993::int8 as big, '2026-02-28'::date as day,
                           '2026-02-28T10:00:00.123Z'::timestamptz as time, '{a,NULL}'::text[] as list, ''::text as empty, true as yes`;
      const [set] = (await lanes.run([{ text, values: [] }])) as [ResultSet];
      const [row] = set.rows;
      assert.deepEqual(row, {
        nothing: null,
        big: 9007199254740993n,
        day: '2026-02-28',
        time: new Date('2026-02-28T10:00:00.123Z'),
        list: ['a', null],
        empty: '',
        yes: true,
      });
    });
  });
});
