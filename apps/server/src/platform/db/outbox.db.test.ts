import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '#kernel/ids.ts';
import { ACTOR, openTwoTenants } from './two-tenants.fixture.ts';

const { api, a, b, sql } = await openTwoTenants();
const { db } = api.platform;
const entry = { action: 'thing.changed', resourceType: 'thing', resourceId: null } as const;

const eventsOf = async (resourceId: string) =>
  (await sql('select * from outbox_event where resource_id = $1 order by number', [resourceId])).rows;

describe('An event', () => {
  it('is committed with the change that it tells of, as it was told and at the time of the change', async () => {
    const resourceId = newId();
    const data = { z: 1, a: ['"', 'ü', null], amount: '12.50' };
    await db.inTenant(a, ACTOR, async (tx) => {
      tx.emit({ type: 'thing.created', resourceId, data });
      tx.audit(entry);
    });
    const [event, ...others] = await eventsOf(resourceId);
    assert.equal(others.length, 0);
    assert.equal(event.tenant_id, a);
    assert.equal(event.type, 'thing.created');
    assert.equal(JSON.stringify(event.data), JSON.stringify(data));
    assert.deepEqual(event.occurred_at, api.clock.now());
  });

  it('is not there when its transaction was rolled back, by its work or by its commit', async () => {
    const resourceId = newId();
    for (const fail of ['work', 'commit']) {
      const failing = db.inTenant(a, ACTOR, async (tx) => {
        tx.emit({ type: 'thing.created', resourceId, data: {} });
        tx.audit(entry);
        if (fail === 'work') throw new Error('no');
        tx.atCommit({ text: 'select 1 / 0', values: [] });
      });
      await assert.rejects(failing);
    }
    assert.deepEqual(await eventsOf(resourceId), []);
  });

  it('is numbered in the order in which a transaction told of it, however many there are', async () => {
    for (const count of [2, 4, 5, 40]) {
      const resourceId = newId();
      await db.inTenant(a, ACTOR, async (tx) => {
        for (let n = 0; n < count; n++) tx.emit({ type: 'thing.counted', resourceId, data: n });
        tx.audit(entry);
      });
      assert.deepEqual(
        (await eventsOf(resourceId)).map(({ data }) => data),
        Array.from({ length: count }, (_, n) => n),
      );
    }
  });

  it('of one resource is numbered in the order of the commits, though many change it at once', async () => {
    const resourceId = newId();
    await sql('update thing set note = $1 where tenant_id = $2 and n = 1', ['0', a]);
    await Promise.all(
      Array.from({ length: 40 }, () =>
        db.inTenant(a, ACTOR, async (tx) => {
          const row = await tx.first<{ note: string }>({
            text: 'select note from thing where n = 1 for update',
            values: [],
          });
          const next = Number(row?.note) + 1;
          tx.later({ text: 'update thing set note = $1 where n = 1', values: [next] });
          tx.emit({ type: 'thing.counted', resourceId, data: next });
          tx.audit(entry);
        }),
      ),
    );
    assert.deepEqual(
      (await eventsOf(resourceId)).map(({ data }) => data),
      Array.from({ length: 40 }, (_, n) => n + 1),
    );
  });

  it('is seen by its tenant alone, and can be neither changed nor taken back', async () => {
    const all = { text: 'select distinct tenant_id from outbox_event', values: [] };
    assert.deepEqual(await db.reader(a).rows(all), [{ tenant_id: a }]);
    assert.ok(!(await db.reader(b).rows<{ tenant_id: string }>(all)).some((row) => row.tenant_id === a));
    for (const text of [`update outbox_event set type = 'x'`, 'delete from outbox_event']) {
      await assert.rejects(
        db.inTenant(a, ACTOR, (tx) => tx.write({ text, values: [] })),
        { code: '42501' },
      );
    }
  });
});
