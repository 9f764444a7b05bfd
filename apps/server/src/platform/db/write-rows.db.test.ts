import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '#kernel/ids.ts';
import { ACTOR, openTwoTenants } from './two-tenants.fixture.ts';
import { insertRows, updateRow } from './write-rows.ts';

const { api, a, b, sql } = await openTwoTenants();
const { db } = api.platform;
const entry = { action: 'role.changed', resourceType: 'role', resourceId: null } as const;
const NOW = new Date('2026-05-01T10:00:00.123Z');

const insert = insertRows('role', ['id', 'name', 'description', 'permissions', 'created_at', 'updated_at']);
const update = updateRow('role', ['name', 'description']);
const role = (name: string, description: string | null = null) => ({
  id: newId(),
  name,
  description,
  permissions: ['catalog.read', 'a "b", {c}'],
  created_at: NOW,
  updated_at: NOW,
});
const stored = async (ids: readonly string[]) =>
  (
    await sql(
      'select id, name, description, permissions, created_at, updated_at, tenant_id from role where id = any($1) order by id',
      [ids],
    )
  ).rows;

describe('Rows that are written', () => {
  it('are stored as they were given, one or many, for the tenant of the transaction', async () => {
    for (const count of [1, 2, 4, 5, 300]) {
      const rows = Array.from({ length: count }, (_, n) =>
        role(`R ${count} ${n}`, n % 2 === 0 ? null : `'"\\ ${n}`),
      );
      await db.inTenant(a, ACTOR, async (tx) => {
        assert.equal(await tx.write(insert(rows)), count);
        tx.audit(entry);
      });
      assert.deepEqual(
        await stored(rows.map(({ id }) => id)),
        rows.map((row) => ({ ...row, tenant_id: a })).toSorted((x, y) => (x.id < y.id ? -1 : 1)),
      );
    }
  });

  it('keep a plan on the connection only for the few numbers of rows that are asked for often', () => {
    const rows = Array.from({ length: 5 }, (_, n) => role(`Named ${n}`));
    assert.ok([1, 2, 3, 4].every((count) => insert(rows.slice(0, count)).name !== undefined));
    assert.equal(insert(rows).name, undefined);
  });

  it('are changed by their id, and those of another tenant are not', async () => {
    const [own, other] = [role('Own'), role('Other')];
    await db.inTenant(a, ACTOR, async (tx) => {
      await tx.write(insert([own]));
      tx.audit(entry);
    });
    await db.inTenant(b, ACTOR, async (tx) => {
      await tx.write(insert([other]));
      tx.audit(entry);
    });
    await db.inTenant(a, ACTOR, async (tx) => {
      assert.equal(await tx.write(update(own.id, { name: 'Changed', description: 'now' })), 1);
      assert.equal(await tx.write(update(other.id, { name: 'Stolen', description: null })), 0);
      tx.audit(entry);
    });
    const rows = await stored([own.id, other.id]);
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), ['Changed', 'Other']);
  });
});
