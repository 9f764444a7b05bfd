import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql as expression } from 'kysely';
import { newId } from '#kernel/ids.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';
import { keptCount } from './kept-count.ts';
import { written } from './query.ts';
import { ACTOR } from './two-tenants.fixture.ts';

const CONNECTIONS = 30;
const api = await openTestApi({ lanes: 1, poolSize: CONNECTIONS });
const [a, b] = [await api.newTenant(), await api.newTenant()];
const { db } = api.platform;
const entry = { action: 'thing.changed', resourceType: 'thing', resourceId: null } as const;
const resourceId = newId();

const sql = (text: string, values: unknown[] = []) =>
  asSuperuser(api.cluster, (client) => client.query(text, values), api.databaseName);
const kept = async (tenantId: string, name = 'thing'): Promise<number> =>
  Number(
    (
      await db
        .reader(tenantId)
        .first(written<{ count: bigint }>(expression`select ${keptCount(name)} as count`))
    )?.count,
  );
const rowsOf = async (tenantId: string): Promise<number> =>
  (await sql(`select from outbox_event where tenant_id = $1 and type = 'thing'`, [tenantId])).rows.length;

/** Writes so many rows, counts them, and fails at the end every third time, in its work or at its commit. */
const change = (tenantId: string, rows: number, n: number): Promise<void> =>
  db.inTenant(tenantId, ACTOR, async (tx) => {
    for (let i = 0; i < rows; i++) tx.emit({ type: 'thing', resourceId, data: i });
    tx.count('thing', rows);
    tx.count('other', -1);
    tx.audit(entry);
    await tx.rows({ text: 'select 1', values: [] });
    if (n % 6 === 0) throw new Error('changed my mind');
    if (n % 6 === 3) tx.atCommit({ text: 'select 1 / 0', values: [] });
  });

describe('A kept count', () => {
  it('is 0 before anything was counted', async () => assert.equal(await kept(a.id, 'nothing'), 0));

  it('is the number of rows after many transactions at once, a third of which were rolled back', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 600 }, (_, n) => change(n % 4 === 0 ? b.id : a.id, 1 + (n % 3), n)),
    );
    const committed = outcomes.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(committed, 400);
    for (const { id } of [a, b]) assert.equal(await kept(id), await rowsOf(id));
    assert.equal((await kept(a.id, 'other')) + (await kept(b.id, 'other')), -committed);
  });

  it('is spread over slots, at most sixteen', async () => {
    const { rows } = await sql(`select slot from kept_count where tenant_id = $1 and name = 'thing'`, [a.id]);
    assert.ok(rows.length > 4 && rows.length <= 16, String(rows.length));
    assert.ok(rows.every(({ slot }) => slot >= 0 && slot < 16));
  });

  it('locks nothing of transactions on connections with other slots while it is not committed', async () => {
    const before = await kept(a.id);
    await db.inTenant(a.id, ACTOR, async (tx) => {
      tx.count('thing', 1);
      tx.audit(entry);
      await tx.rows({ text: 'select 1', values: [] });
      // Goes out last: so far the slot of this connection is free, even for another on the same slot.
      await Promise.all(Array.from({ length: 40 }, () => change(a.id, 0, 1)));
      assert.equal(await kept(a.id), before);
    });
    assert.equal(await kept(a.id), before + 1);
  });
});
