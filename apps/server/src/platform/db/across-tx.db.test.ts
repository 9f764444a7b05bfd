import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { newId } from '#kernel/ids.ts';
import type { AcrossTx } from './across-tx.ts';
import type { TenantTx } from './tenant-tx.ts';
import { ACTOR, openTwoTenants, type Thing } from './two-tenants.fixture.ts';

const { api, a, b, sql } = await openTwoTenants();
const { db } = api.platform;
const platformTenant = await db.platformTenantId();

const across = <T>(reason: string, work: (tx: AcrossTx) => Promise<T>): Promise<T> =>
  db.acrossTenants(reason, ACTOR, work);
const tenants = { text: 'select distinct tenant_id from thing order by 1', values: [] };
const both = [a, b].sort().map((tenant_id) => ({ tenant_id }));
const insert = (n: number) => ({ text: 'insert into thing (n) values ($1)', values: [n] });
const entry = { action: 'thing.created', resourceType: 'thing', resourceId: null } as const;
const things = async (n: number) =>
  (await sql('select tenant_id from thing where n = $1', [n])).rows as Thing[];
const audited = async (reason: string) =>
  (await sql('select tenant_id, action, actor_id from audit_log where reason = $1', [reason])).rows;

describe('Work across tenants', () => {
  afterEach(() => assert.equal(db.pool.totalCount - db.pool.idleCount, 0, 'a connection was not given back'));

  it('sees all, and leaves an audit row with its reason in the platform tenant, even if it only read', async () => {
    assert.deepEqual(await across('look around', (tx) => tx.rows(tenants)), both);
    assert.deepEqual(await audited('look around'), [
      { tenant_id: platformTenant, action: 'platform.acrossTenants', actor_id: 'test' },
    ]);
  });

  it('leaves no row when it asked nothing', async () => {
    await across('ask nothing', async () => {});
    assert.deepEqual(await audited('ask nothing'), []);
  });

  it('leaves nothing when it fails', async () => {
    const failing = across('fail', async (tx) => {
      await tx.write({ text: 'insert into thing (tenant_id, n) values ($1, 200)', values: [a] });
      throw new Error('no');
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.deepEqual([await things(200), await audited('fail')], [[], []]);
  });

  it('steps into one tenant, sees no other there, and comes back', async () => {
    await across('step in', async (tx) => {
      for (const tenant of [a, b, a]) {
        assert.deepEqual(await tx.asTenant(tenant, (own) => own.rows(tenants)), [{ tenant_id: tenant }]);
        assert.deepEqual(await tx.rows(tenants), both);
      }
    });
  });

  it('cannot write for another tenant from inside one', async () => {
    const forged = across('forge', (tx) =>
      tx.asTenant(a, (own) =>
        own.write({ text: 'insert into thing (tenant_id, n) values ($1, 201)', values: [b] }),
      ),
    );
    await assert.rejects(forged, { code: '42501' });
  });

  it('writes audit entries where the work was done', async () => {
    await across('write', async (tx) => {
      await tx.asTenant(b, async (own) => {
        await own.write(insert(202));
        own.audit({ ...entry, reason: 'inside' });
      });
      tx.audit({ ...entry, reason: 'outside' });
    });
    assert.deepEqual(await things(202), [{ tenant_id: b }]);
    assert.deepEqual(
      (await audited('inside')).map(({ tenant_id }) => tenant_id),
      [b],
    );
    assert.deepEqual(
      (await audited('outside')).map(({ tenant_id }) => tenant_id),
      [platformTenant],
    );
  });

  it('must name the tenant of what it inserts, also after it was inside one', async () => {
    const nameless = across('nameless', async (tx) => {
      await tx.asTenant(a, (own) => own.rows(tenants));
      await tx.write(insert(203));
    });
    await assert.rejects(nameless, { code: '22P02' });
    assert.deepEqual(await things(203), []);
  });

  it('is given up as a whole when the work as a tenant failed, even if that was caught', async () => {
    const swallowed = across('swallow', async (tx) => {
      await tx
        .asTenant(a, async (own) => {
          await own.write(insert(204));
          throw new Error('no');
        })
        .catch(() => {});
    });
    await assert.rejects(swallowed, /given up/);
    const unaudited = across('unaudited', (tx) => tx.asTenant(a, (own) => own.write(insert(204))));
    await assert.rejects(unaudited, /no audit entry/);
    assert.deepEqual(await things(204), []);
  });

  it('is one tenant at a time: two at once would write for each other', async () => {
    const atOnce = across('at once', (tx) =>
      Promise.all([tx.asTenant(a, (own) => own.rows(tenants)), tx.asTenant(b, (own) => own.rows(tenants))]),
    );
    await assert.rejects(atOnce, /still under way/);
    const meanwhile = across('meanwhile', (tx) => tx.asTenant(a, () => tx.rows(tenants)));
    await assert.rejects(meanwhile, /still under way/);
  });

  it('does not lend its eyes to a tenant: what was kept from inside is dead outside', async () => {
    await across('keep', async (tx) => {
      let kept: TenantTx | undefined;
      await tx.asTenant(a, async (own) => {
        kept = own;
      });
      await assert.rejects(async () => kept?.rows(tenants), /is over/);
      assert.deepEqual(await tx.rows(tenants), both);
    });
  });

  it('leaves no role or tenant behind on its connection', async () => {
    await across('leave', (tx) => tx.asTenant(a, (own) => own.rows(tenants)));
    const client = await db.pool.connect();
    const { rows } = await client.query(
      `select current_user as role, current_setting('app.tenant_id', true) as tenant`,
    );
    client.release();
    assert.deepEqual(rows, [{ role: 'tenantry_app', tenant: '' }]);
  });

  it('tells where an id exists without leaving an audit row', async () => {
    const before = (await sql('select from audit_log')).rows.length;
    assert.equal(await db.existsInOtherTenant('tenant', a, b), true);
    assert.equal(await db.existsInOtherTenant('tenant', a, a), false);
    assert.equal(await db.existsInOtherTenant('role', newId(), a), false);
    assert.equal((await sql('select from audit_log')).rows.length, before);
  });
});
