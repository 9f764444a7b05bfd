import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientWith, UNKNOWN_ID } from '#test/behind-api.ts';
import { openTestApi } from '#test/harness.ts';
import { behindCatalog, makeProduct, pathOf } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const { eventsOf, auditOf, tracesOf } = behindCatalog(api);
const tracked = (more: object = {}) => makeProduct(client, { trackStock: true, ...more });
const adjust = (product: { id: string }, quantity: unknown, more: object = {}) =>
  client.post(`${pathOf(product)}/stock-adjustments`, { quantity, ...more });

describe('An adjustment', () => {
  it('answers with the movement, changes the balance and makes the next version', async () => {
    const product = await tracked();
    api.clock.advance(1_000);
    const { status, body, headers, text } = await adjust(product, 24, {
      reason: 'Delivery',
      reference: 'DN-1',
    });
    assert.equal(status, 201, text);
    const { id, ...movement } = body;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual(movement, {
      productId: product.id,
      kind: 'adjustment',
      quantity: '24',
      balance: '24',
      reason: 'Delivery',
      reference: 'DN-1',
      invoiceId: null,
      createdAt: api.clock.now().toISOString(),
    });
    const ledger = await client.get(headers.get('location') as string);
    assert.deepEqual(ledger.body.items, [body]);
    const { body: after } = await client.get(pathOf(product));
    const changed = { stockOnHand: '24', version: 2, updatedAt: body.createdAt };
    assert.deepEqual(after, { ...product, ...changed });
  });

  it('is told of with the product as it is then, and the movement beside it', async () => {
    const product = await tracked();
    const { body: movement } = await adjust(product, '0.000001');
    const { body: after } = await client.get(pathOf(product));
    assert.deepEqual((await eventsOf(product.id)).slice(1), [
      { type: 'stock.adjusted', data: { ...after, movement } },
    ]);
    assert.deepEqual((await auditOf(product.id)).sort(), ['product.created', 'stock.adjusted']);
    assert.deepEqual([movement.reason, movement.reference], [null, null]);
  });

  it('is exact, beyond what a number of JavaScript holds', async () => {
    const product = await tracked({ stockOnHand: '9999999999999.999998' });
    assert.equal((await adjust(product, '0.000001')).body.balance, '9999999999999.999999');
    assert.equal((await adjust(product, '-9999999999999.999999')).body.balance, '0');
  });

  it('below zero is made where that is allowed', async () => {
    const product = await tracked({ stockPolicy: 'allow', stockOnHand: '1' });
    assert.equal((await adjust(product, '-2.5')).body.balance, '-1.5');
  });

  it('is made once under one Idempotency-Key', async () => {
    const product = await tracked();
    const path = `${pathOf(product)}/stock-adjustments`;
    const key = { headers: { 'idempotency-key': 'once' } };
    const first = await client.post(path, { quantity: '3' }, key);
    const again = await client.post(`/api/v1${path}`, { quantity: '3' }, key);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await client.get(pathOf(product))).body.stockOnHand, '3');
    assert.equal((await client.post(path, { quantity: '4' }, key)).status, 422);
  });
});

describe('An adjustment is refused', () => {
  it('where it would break a rule of the product, and leaves nothing behind', async () => {
    const untracked = await makeProduct(client);
    const few = await tracked({ stockOnHand: '10' });
    const many = await tracked({ stockOnHand: '9999999999999' });
    const deep = await tracked({ stockPolicy: 'allow', stockOnHand: '-9999999999999' });
    const before = await tracesOf(tenant.id);
    for (const [product, quantity, status, slug] of [
      [untracked, 1, 409, 'stock-not-tracked'],
      [few, '-10.000001', 409, 'insufficient-stock'],
      [many, 1, 422, 'stock-out-of-range'],
      [deep, -1, 422, 'stock-out-of-range'],
    ] as const) {
      const reply = await adjust(product, quantity);
      assert.equal(reply.status, status, reply.text);
      assert.ok(reply.body.type.endsWith(`/problems/${slug}`), reply.text);
      assert.ok(reply.body.detail.includes(product.sku));
      assert.deepEqual((await client.get(pathOf(product))).body, product);
    }
    assert.deepEqual(await tracesOf(tenant.id), before);
  });

  it('with a fault in any field, which is named', async () => {
    const product = await tracked();
    for (const [sent, pointers] of [
      [{}, ['/quantity']],
      [{ quantity: 0 }, ['/quantity']],
      [{ quantity: '-0.00' }, ['/quantity']],
      [{ quantity: null }, ['/quantity']],
      [{ quantity: '1.0000001' }, ['/quantity']],
      [{ quantity: '10000000000000' }, ['/quantity']],
      [{ quantity: 0.30000000000000004 }, ['/quantity']],
      [{ quantity: 1, reason: 'x'.repeat(501) }, ['/reason']],
      [{ quantity: 1, reference: 'x'.repeat(501) }, ['/reference']],
      [{ quantity: 1, reason: '' }, ['/reason']],
      [{ quantity: 1, kind: 'sale' }, ['/kind']],
      [{ quantity: 'x', reason: 7, reference: 'a\nb', z: 1 }, ['/quantity', '/reason', '/reference', '/z']],
    ] as const) {
      const { status, body, text } = await client.post(`${pathOf(product)}/stock-adjustments`, sent);
      assert.equal(status, 400, text);
      assert.deepEqual(Object.keys(body.errors).sort(), [...pointers]);
    }
    assert.deepEqual((await client.get(pathOf(product))).body, product);
  });

  it('of a product that there is not, that another has, or without token or permission', async () => {
    const product = await tracked();
    const rival = await api.newTenant();
    const reader = await clientWith(api, tenant, ['catalog.read']);
    for (const [who, id, status, slug] of [
      [client, UNKNOWN_ID, 404, 'not-found'],
      [rival.client, product.id, 403, 'other-tenant'],
      [reader, product.id, 403, 'permission-denied'],
      [api.anonymous, product.id, 401, 'unauthenticated'],
      [client, '17', 400, 'invalid-request'],
    ] as const) {
      const reply = await who.post(`${pathOf({ id })}/stock-adjustments`, { quantity: 1 });
      assert.equal(reply.status, status, reply.text);
      assert.ok(reply.body.type.endsWith(`/problems/${slug}`), reply.text);
    }
    assert.deepEqual((await client.get(pathOf(product))).body, product);
  });
});
