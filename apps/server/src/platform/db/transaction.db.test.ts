import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { Topic } from './announcements.ts';
import { DatabaseUnavailable } from './connection.ts';
import type { TenantTx } from './tenant-tx.ts';
import { Transaction } from './transaction.ts';
import { ACTOR, entry, insert, openTwoTenants, pid, type Thing } from './two-tenants.fixture.ts';

const { api, a, b, sql, kill, things, writesOf } = await openTwoTenants();
const { db } = api.platform;

const inA = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.inTenant(a, ACTOR, work);
const auditRows = async (action: string): Promise<number> =>
  (await sql('select from audit_log where action = $1', [action])).rows.length;

describe('A transaction of a tenant', () => {
  afterEach(() => assert.equal(db.pool.totalCount - db.pool.idleCount, 0, 'a connection was not given back'));

  it('keeps what it wrote, and its audit entry with it', async () => {
    const before = await auditRows('thing.created');
    await inA(async (tx) => {
      assert.equal(await tx.write(insert(100)), 1);
      tx.audit(entry);
    });
    assert.equal(await things(100), 1);
    assert.equal(await auditRows('thing.created'), before + 1);
  });

  it('leaves nothing when its work fails', async () => {
    const before = await auditRows('thing.created');
    const failing = inA(async (tx) => {
      await tx.write(insert(101));
      tx.audit(entry);
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    assert.equal(await things(101), 0);
    assert.equal(await auditRows('thing.created'), before);
  });

  it('leaves nothing when the commit itself fails', async () => {
    const failing = inA(async (tx) => {
      await tx.batch([insert(102), insert(102)]); // the key is checked at the commit
      tx.audit(entry);
    });
    await assert.rejects(failing, { code: '23505' });
    assert.equal(await things(102), 0);
  });

  it('leaves nothing when its connection is killed before the commit', async () => {
    const failing = inA(async (tx) => {
      await tx.write(insert(103));
      tx.audit(entry);
      await sql('select pg_terminate_backend($1)', [(await tx.first<{ pid: number }>(pid))?.pid]);
    });
    await assert.rejects(failing, DatabaseUnavailable);
    assert.equal(await things(103), 0);
    assert.equal((await inA((tx) => tx.rows(pid))).length, 1);
  });

  it('is refused and undone when it wrote something and left no audit entry', async () => {
    await assert.rejects(
      inA((tx) => tx.write(insert(104))),
      /no audit entry/,
    );
    assert.equal(await things(104), 0);
    await inA((tx) => tx.write({ text: 'update thing set note = note where n < $1', values: [0] })); // nothing was changed
  });

  it('does not pass for committed when a failure in it was swallowed', async () => {
    const failing = inA(async (tx) => {
      await tx.write(insert(105));
      tx.audit(entry);
      await tx.rows({ text: 'select 1 / 0', values: [] }).catch(() => {});
    });
    await assert.rejects(failing, { code: '25P02' });
    assert.equal(await things(105), 0);
  });

  it('costs no connection when nothing is asked of it', async () => {
    const borrowed = { count: 0 };
    const transaction = new Transaction(async () => {
      borrowed.count++;
      return db.pool.connect();
    }, []);
    await transaction.commit([]);
    assert.equal(borrowed.count, 0);
  });

  it('takes two round trips for an insert: begin, tenant and insert; audit and commit', async () => {
    const writes = await writesOf(() =>
      inA(async (tx) => {
        await tx.write(insert(106));
        tx.audit(entry);
      }),
    );
    assert.equal(writes, 2);
  });

  it('sees its tenant alone, and cannot write for another', async () => {
    const rows = await inA((tx) =>
      tx.rows<Thing>({ text: 'select distinct tenant_id from thing', values: [] }),
    );
    assert.deepEqual(rows, [{ tenant_id: a }]);
    const forged = inA((tx) =>
      tx.write({ text: 'insert into thing (tenant_id, n) values ($1, 107)', values: [b] }),
    );
    await assert.rejects(forged, { code: '42501' });
  });

  it('takes a tenant id for nothing but a UUID', async () => {
    for (const wrong of ['', 'x', `${a}'`, `${a} `]) {
      await assert.rejects(
        db.inTenant(wrong, ACTOR, (tx) => tx.rows(pid)),
        /not a tenant id/,
      );
      assert.throws(() => db.reader(wrong), /not a tenant id/);
    }
  });

  it('answers nothing after its end, when its connection may serve another tenant', async () => {
    let kept: TenantTx | undefined;
    await inA(async (tx) => {
      kept = tx;
      await tx.rows(pid);
    });
    await assert.rejects(async () => kept?.rows(pid), /over|ended/);
    await assert.rejects(
      inA(async (tx) => {
        kept = tx;
        await tx.rows(pid);
        throw new Error('no');
      }),
    );
    await assert.rejects(async () => kept?.write(insert(108)), /over|ended|rolled back/);
    assert.equal(await things(108), 0);
  });

  it('runs statements asked for at once in their order, after the tenant is set', async () => {
    const [first, second] = await inA((tx) =>
      Promise.all([
        tx.rows<Thing>({ text: 'select distinct tenant_id from thing', values: [] }),
        tx.rows(pid),
      ]),
    );
    assert.deepEqual(first, [{ tenant_id: a }]);
    assert.equal(second?.length, 1);
  });

  it('gives every connection back after a storm of failures', async () => {
    const storm = Array.from({ length: 60 }, (_, index) =>
      inA(async (tx) => {
        if (index % 3 === 0) await tx.rows({ text: 'select 1 / 0', values: [] });
        if (index % 3 === 1) throw new Error('no');
        await tx.rows({
          text: 'select $1::text',
          values: [
            {
              toPostgres: () => {
                throw new Error('bad value');
              },
            },
          ],
        });
      }).catch(() => 'failed'),
    );
    assert.ok((await Promise.all(storm)).every((outcome) => outcome === 'failed'));
    await kill('tenantry');
    await inA((tx) => tx.rows(pid)).catch((error) => assert.ok(error instanceof DatabaseUnavailable));
    assert.equal((await inA((tx) => tx.rows(pid))).length, 1);
  });

  it('sends what was left for the commit before the audit entry, and tells the news only after it', async () => {
    const heard: string[] = [];
    db.announcements.subscribe('access' satisfies Topic, (payload) => void heard.push(String(payload)));
    await inA(async (tx) => {
      tx.announce('access', 'client:one');
      tx.announce('access', 'client:two');
      tx.atCommit(insert(109));
      await tx.rows(pid);
      assert.equal(await things(109), 0);
      assert.deepEqual(heard, []);
    });
    assert.deepEqual(heard.slice(0, 2), ['client:one', 'client:two']);
    assert.equal(await things(109), 1);
    heard.length = 0;
    const refused = inA(async (tx) => {
      tx.announce('access', 'client:three');
      tx.atCommit({ text: 'select 1 / 0', values: [] });
    });
    await assert.rejects(refused, { code: '22012' });
    assert.ok(!heard.includes('client:three'));
  });

  it('reads slow queries on the pool with the same locks', async () => {
    const slow = (tenant: string) =>
      db.reader(tenant).slowBatch([{ text: 'select distinct tenant_id from thing', values: [] }]);
    for (const tenant of [a, b, a]) assert.deepEqual(await slow(tenant), [[{ tenant_id: tenant }]]);
    await assert.rejects(db.reader(a).slowBatch([{ text: 'select 1 / 0', values: [] }]), { code: '22012' });
    assert.deepEqual(await slow(b), [[{ tenant_id: b }]]);
  });
});
