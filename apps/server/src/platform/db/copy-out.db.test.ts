import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { TooManyCopies } from './copy-out.ts';
import { openTwoTenants } from './two-tenants.fixture.ts';

const { api, a, b } = await openTwoTenants();
const { db } = api.platform;
const copy = (text: string, values: unknown[] = [], form: 'csv' | 'lines' = 'csv', tenant = a) =>
  db.reader(tenant).copyOut({ text, values }, form);

/** More than the buffers between here and there take. */
const ENDLESS = `select repeat('x', 1000) as x from generate_series(1, 200000)`;
/** As a reader that goes away: it listens to nothing any more. */
const stop = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    stream.once('close', () => setTimeout(resolve, 20));
    stream.destroy();
  });

describe('What is copied out', () => {
  it('is of its tenant alone', async () => {
    for (const tenant of [a, b])
      assert.equal(
        await textOf(await copy('select distinct tenant_id from thing', [], 'csv', tenant)),
        `tenant_id\n${tenant}\n`,
      );
  });

  it('cannot be written for', async () => {
    await assert.rejects(copy(`insert into thing (n) values (900) returning n`), { code: '25006' });
  });

  it('takes every value for a value, whatever is in it', async () => {
    const odd = [`'; drop table thing; --`, '$1 $2 $3', `a "quoted", cell`, 'line\nbreak', '\\', 'ü€😀', ''];
    for (const value of odd) {
      const rows = await textOf(await copy('select $1 || $2 || $1 as x', [value, '$1']));
      assert.equal(
        rows.replace(/^x\n/, '').replace(/\n$/, '').replace(/^"|"$/g, '').replaceAll('""', '"'),
        `${value}$1${value}`,
      );
    }
    const many = Array.from({ length: 12 }, (_, n) => `v${n + 1}`);
    assert.equal(
      await textOf(await copy('select $1 as x, $11 as y, $12 as z, $2 as w', many)),
      'x,y,z,w\nv1,v11,v12,v2\n',
    );
    assert.equal(
      await textOf(await copy('select $1::text[] = array[null, $2] as x', [[null, 'b'], 'b'])).then((x) =>
        x.slice(0, 1),
      ),
      'x',
    );
  });

  it('is a line as it stands where lines were asked for', async () => {
    const line = await textOf(
      await copy(`select json_build_object('a', $1, 'b', null, 'c', e'x\\ny')::text`, ['"q", \\ ü'], 'lines'),
    );
    assert.deepEqual(JSON.parse(line), { a: '"q", \\ ü', b: null, c: 'x\ny' });
    assert.equal(line.split('\n').length, 2);
  });

  it('may be nothing', async () => {
    assert.equal(await textOf(await copy('select n from thing where n < 0')), 'n\n');
    assert.equal(await textOf(await copy('select n from thing where n < 0', [], 'lines')), '');
  });

  it('fails before the first byte when the query does, and leaves its place to others', async () => {
    for (let round = 0; round < 10; round++)
      await assert.rejects(copy('select 1 / 0 as x'), { code: '22012' });
    assert.equal(await textOf(await copy('select 1 as x')), 'x\n1\n');
  });

  it('breaks off where the query fails further on', async () => {
    const stream = await copy('select 1 / (50000 - n) as x from generate_series(1, 100000) n');
    await assert.rejects(textOf(stream), { code: '22012' });
  });

  it('is limited to two at once for a tenant and six in all, and each that ends makes room', async () => {
    const two = [await copy(ENDLESS), await copy(ENDLESS)];
    await assert.rejects(copy('select 1'), TooManyCopies);
    assert.equal(await textOf(await copy('select 1 as x', [], 'csv', b)), 'x\n1\n');
    await stop(two[0] as Readable);
    assert.equal(await textOf(await copy('select 1 as x')), 'x\n1\n');
    await stop(two[1] as Readable);
    assert.equal(await textOf(await copy('select 1 as x')), 'x\n1\n');

    const tenants = [a, a, b, b, (await api.newTenant()).id];
    tenants.push(tenants[4] as string);
    const six = await Promise.all(tenants.map((tenant) => copy(ENDLESS, [], 'csv', tenant)));
    const seventh = (await api.newTenant()).id;
    await assert.rejects(copy('select 1', [], 'csv', seventh), TooManyCopies);
    await Promise.all(six.map(stop));
    assert.equal(await textOf(await copy('select 1 as x', [], 'csv', seventh)), 'x\n1\n');
  });
});
