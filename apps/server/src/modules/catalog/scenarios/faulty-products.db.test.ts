import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';
import { behindCatalog, makeProduct, PRODUCTS, pathOf, productInput } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const existing = await makeProduct(client);
const { tracesOf } = behindCatalog(api);

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
const DECIMAL = /must be a decimal of at most 6 decimals/;
const TOO_LARGE = /must be below 10000000000000/;

/** A field, a value that it does not take, the pointer that must be told and what must be told there. */
const faults: readonly [string, unknown, string, RegExp][] = [
  ['sku', undefined, '/sku', /is required/],
  ['sku', null, '/sku', /must be string/],
  ['sku', 7, '/sku', /must be string/],
  ['sku', '', '/sku', /must not be blank/],
  ['sku', ' \t', '/sku', /must not be blank/],
  ['sku', 'a\nb', '/sku', /single line/],
  ['sku', 'x'.repeat(65), '/sku', /at most 64 characters/],
  ['name', undefined, '/name', /is required/],
  ['name', '\u00a0', '/name', /must not be blank/],
  ['name', '🛒'.repeat(201), '/name', /at most 200 characters/],
  ['name', 'a\u0000b', '/name', /NUL/],
  ['name', '\ud83d', '/name', /surrogate/],
  ['description', 'x'.repeat(10_001), '/description', /at most 10000 characters/],
  ['description', 1, '/description', /must be string or null/],
  ['kind', 'thing', '/kind', /one of goods, service/],
  ['kind', null, '/kind', /must be/],
  ['status', 'Active', '/status', /one of active, archived/],
  ['unit', 'kg', '/unit', /UN\/ECE Recommendation 20/],
  ['unit', 'c62', '/unit', /UN\/ECE Recommendation 20/],
  ['price', undefined, '/price', /is required/],
  ['price', null, '/price', /must be string or number/],
  ['price', true, '/price', /must be string or number/],
  ['price', '', '/price', DECIMAL],
  ['price', '1,50', '/price', DECIMAL],
  ['price', '1e3', '/price', DECIMAL],
  ['price', '1.0000001', '/price', DECIMAL],
  ['price', 1e-7, '/price', DECIMAL],
  ['price', 0.30000000000000004, '/price', /15 significant digits/],
  ['price', 1234567890.123456, '/price', /15 significant digits/],
  ['price', '-0.01', '/price', /at least 0/],
  ['price', '10000000000000', '/price', TOO_LARGE],
  ['price', 1e13, '/price', TOO_LARGE],
  ['currency', undefined, '/currency', /is required/],
  ['currency', 'eur', '/currency', /ISO 4217/],
  ['currency', 'ABC', '/currency', /ISO 4217/],
  ['currency', 'XXX', '/currency', /ISO 4217/],
  ['taxCategory', 'X', '/taxCategory', /one of S, Z, E, AE, K, G, O/],
  ['taxRate', '100.000001', '/taxRate', /at most 100/],
  ['taxRate', -1, '/taxRate', /at least 0/],
  ['barcode', '4006381333932', '/barcode', /GTIN.*check digit/],
  ['barcode', '12345', '/barcode', /GTIN/],
  ['barcode', 4006381333931, '/barcode', /must be string or null/],
  ['category', 'x'.repeat(501), '/category', /at most 500 characters/],
  ['category', ' ', '/category', /must not be blank/],
  ['tags', 'blue', '/tags', /must be array/],
  ['tags', ['ok', 'x'.repeat(501)], '/tags/1', /at most 500 characters/],
  ['tags', ['a|b'], '/tags/0', /without \|/],
  ['tags', [null], '/tags/0', /must be string/],
  ['tags', Array(51).fill('x'), '/tags', /at most 50 items/],
  ['trackStock', 'yes', '/trackStock', /must be boolean/],
  ['trackStock', 1, '/trackStock', /must be boolean/],
  ['stockPolicy', 'maybe', '/stockPolicy', /one of deny, allow/],
  ['reorderPoint', '-1', '/reorderPoint', /at least 0/],
  ['reorderPoint', '10000000000000', '/reorderPoint', TOO_LARGE],
  ['metadata', pairs(51), '/metadata', /at most 50 entries/],
  ['metadata', { a: 1 }, '/metadata/a', /must be string/],
  ['metadata', { 'a/b~c': null }, '/metadata/a~1b~0c', /must be string/],
  ['metadata', { a: 'x'.repeat(501) }, '/metadata/a', /at most 500 characters/],
  ['metadata', { ['k'.repeat(101)]: 'x' }, `/metadata/${'k'.repeat(101)}`, /at most 100 characters/],
  ['metadata', { '': 'x' }, '/metadata/', /must not be empty/],
  ['metadata', { a: '\u0000' }, '/metadata/a', /NUL/],
  ['metadata', [], '/metadata', /must be object/],
  ['metadata', null, '/metadata', /must be object/],
  ['colour', 'blue', '/colour', /not a known field/],
  ['tenantId', tenant.id, '/tenantId', /not a known field/],
];

describe('A product is refused, by its creation and by its replacement, with', () => {
  for (const [field, value, pointer, message] of faults) {
    it(`${field}: ${JSON.stringify(value)?.slice(0, 40)}`, async () => {
      const sent = productInput({ [field]: value });
      for (const reply of [await client.post(PRODUCTS, sent), await client.put(pathOf(existing), sent)]) {
        assert.equal(reply.status, 400, reply.text);
        assert.match(reply.body.type, /\/problems\/invalid-request$/);
        assert.deepEqual(Object.keys(reply.body.errors), [pointer], reply.text);
        assert.match(reply.body.errors[pointer].join(' '), message);
        assert.ok(reply.body.detail.startsWith(pointer), reply.body.detail);
      }
    });
  }

  it('all its faults at once', async () => {
    const sent = {
      sku: '',
      price: 'x',
      currency: 'E',
      barcode: '1',
      metadata: { a: 1 },
      tags: [1],
      y: 1,
      z: 2,
    };
    const pointers = [
      '/sku',
      '/name',
      '/price',
      '/currency',
      '/barcode',
      '/metadata/a',
      '/tags/0',
      '/y',
      '/z',
    ];
    for (const reply of [await client.post(PRODUCTS, sent), await client.put(pathOf(existing), sent)])
      assert.deepEqual(Object.keys(reply.body.errors).sort(), pointers.sort());
  });

  it('a tax rate in a category that has none', async () => {
    const sent = productInput({ taxCategory: 'E', taxRate: '20' });
    for (const reply of [await client.post(PRODUCTS, sent), await client.put(pathOf(existing), sent)]) {
      assert.equal(reply.status, 400);
      assert.match(reply.body.errors['/taxRate'][0], /category E/);
    }
  });

  it('an opening stock that it cannot have', async () => {
    for (const [more, message] of [
      [{ stockOnHand: '1' }, /trackStock/],
      [{ stockOnHand: '-1', trackStock: true }, /at least 0/],
      [{ stockOnHand: '10000000000000', trackStock: true }, TOO_LARGE],
      [{ stockOnHand: 'many', trackStock: true }, DECIMAL],
      [{ stockOnHand: null, trackStock: true }, /must be string or number/],
    ] as const) {
      const { status, body, text } = await client.post(PRODUCTS, productInput(more));
      assert.equal(status, 400, text);
      assert.match(body.errors['/stockOnHand'].join(' '), message);
    }
  });

  it('an opening stock and a tax rate that it cannot have, told together', async () => {
    const { body } = await client.post(
      PRODUCTS,
      productInput({ stockOnHand: '1', taxCategory: 'E', taxRate: '20' }),
    );
    assert.deepEqual(Object.keys(body.errors).sort(), ['/stockOnHand', '/taxRate']);
  });

  it('a body that is none', async () => {
    for (const body of [undefined, '', '[]', 'null', '"x"', '{', '{"sku":"a\\u0000"}']) {
      assert.equal((await client.post(PRODUCTS, body)).status, 400, body);
      assert.equal((await client.put(pathOf(existing), body)).status, 400, body);
    }
  });

  it('and leaves nothing behind', async () => {
    assert.deepEqual((await client.get(pathOf(existing))).body, existing);
    assert.deepEqual(await tracesOf(tenant.id), {
      products: 1,
      kept: 1,
      events: 1,
      entries: 1,
      movements: 0,
      searchable: 1,
    });
  });
});
