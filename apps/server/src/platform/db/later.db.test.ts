import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { TenantTx } from './tenant-tx.ts';
import { ACTOR, entry, insert, openTwoTenants, pid, type Thing } from './two-tenants.fixture.ts';

const { api, a, sql, things, writesOf } = await openTwoTenants();
const { db } = api.platform;

const inA = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.inTenant(a, ACTOR, work);

describe('A transaction with statements that nobody waits for', () => {
  afterEach(() => assert.equal(db.pool.totalCount - db.pool.idleCount, 0, 'a connection was not given back'));

  it('sends what was left for later ahead of whatever is asked next, in its order', async () => {
    await inA(async (tx) => {
      tx.later(insert(120));
      tx.later({ text: `update thing set note = 'later' where n = $1`, values: [120] });
      assert.equal(await things(120), 0);
      const [row] = await tx.rows<Thing>({ text: 'select note from thing where n = 120', values: [] });
      assert.equal(row?.note, 'later');
      tx.later({ text: `update thing set note = 'last' where n = $1`, values: [120] });
      tx.audit(entry);
    });
    const { rows } = await sql('select note from thing where n = 120');
    assert.deepEqual(rows, [{ note: 'last' }]);
  });

  it('takes one round trip when all was left for later', async () => {
    assert.equal(
      await writesOf(() =>
        inA(async (tx) => {
          tx.later(insert(121));
          tx.emit({ type: 'thing.created', resourceId: a, data: {} });
          tx.count('thing', 1);
          tx.audit(entry);
        }),
      ),
      1,
    );
    assert.equal(await things(121), 1);
  });

  it('is refused when what it left for later went without an audit entry', async () => {
    await assert.rejects(
      inA(async (tx) => tx.later(insert(122))),
      /no audit entry/,
    );
    await assert.rejects(
      inA(async (tx) => {
        tx.later(insert(122));
        await tx.rows(pid);
      }),
      /no audit entry/,
    );
    assert.equal(await things(122), 0);
  });

  it('takes nothing for later after its end', async () => {
    let kept: TenantTx | undefined;
    await inA(async (tx) => {
      kept = tx;
    });
    assert.throws(() => kept?.later(insert(123)), /over|ended/);
    assert.equal(await things(123), 0);
  });

  it('explains a violated constraint in the words of whoever knew of it, whenever it is met', async () => {
    const explained = (work: (tx: TenantTx) => Promise<unknown>) =>
      inA(async (tx) => {
        tx.whenViolated('thing_pkey', () => new Error('there is one already'));
        tx.whenViolated('another', () => new Error('wrong explanation'));
        tx.audit(entry);
        await work(tx);
      });
    // The key of this table is checked at the commit.
    await assert.rejects(
      explained(async (tx) => tx.later(insert(1))),
      /there is one already/,
    );
    await assert.rejects(
      explained(async (tx) => {
        tx.later({ text: 'set constraints all immediate', values: [] });
        await tx.write(insert(1));
      }),
      /there is one already/,
    );
    await assert.rejects(
      explained(async (tx) => tx.later({ text: 'insert into thing (n) values (null)', values: [] })),
      { code: '23502' },
    );
    await assert.rejects(
      explained(async () => {
        throw new Error('something else');
      }),
      /something else/,
    );
  });

  it('leaves neither events nor counts when it is rolled back, and both when it is not', async () => {
    const traces = async () => {
      const { rows } = await sql(
        `select (select count(*)::int from outbox_event where type = 'thing.traced') as events,
                (select coalesce(sum(count), 0)::int from kept_count where name = 'traced') as counted`,
      );
      return rows[0];
    };
    const trace = (fails: boolean) =>
      inA(async (tx) => {
        tx.emit({ type: 'thing.traced', resourceId: a, data: {} });
        tx.count('traced', 2);
        tx.count('traced', -1);
        tx.audit(entry);
        if (fails) tx.later({ text: 'select 1 / 0', values: [] });
      });
    await assert.rejects(trace(true), { code: '22012' });
    assert.deepEqual(await traces(), { events: 0, counted: 0 });
    await trace(false);
    assert.deepEqual(await traces(), { events: 1, counted: 1 });
  });

  it('does the same in work as a tenant that crosses from another', async () => {
    const crossing = db.acrossTenants('a test', ACTOR, (across) =>
      across.asTenant(a, async (tx) => {
        tx.whenViolated('thing_pkey', () => new Error('there is one already'));
        tx.later({ text: 'set constraints all immediate', values: [] });
        tx.later(insert(1));
        tx.audit(entry);
      }),
    );
    await assert.rejects(crossing, /there is one already/);
  });
});
