import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentOf, type GivenProduct, newProduct, taxRateFault, withContent } from './product.ts';

const given: GivenProduct = { sku: 'MUG', name: 'Mug', price: '5', currency: 'EUR' };
const made = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-02T00:00:00Z');

describe('The content of a product', () => {
  it('has a default for everything that need not be said', () => {
    assert.deepEqual(contentOf(given), {
      sku: 'MUG',
      name: 'Mug',
      description: null,
      kind: 'goods',
      status: 'active',
      unit: 'C62',
      price: '5.00',
      currency: 'EUR',
      taxCategory: 'S',
      taxRate: '0',
      barcode: null,
      category: null,
      tags: [],
      trackStock: false,
      stockPolicy: 'deny',
      reorderPoint: null,
      metadata: {},
    });
  });

  it('shows a price with at least the decimals of its currency', () => {
    for (const [price, currency, shown] of [
      [5, 'EUR', '5.00'],
      ['5.1', 'JPY', '5.1'],
      ['5.00', 'JPY', '5'],
      [5, 'BHD', '5.000'],
      ['5.123456', 'EUR', '5.123456'],
      ['5.120000', 'EUR', '5.12'],
      [0, 'EUR', '0.00'],
    ] as const)
      assert.equal(contentOf({ ...given, price, currency }).price, shown);
  });

  it('has no blanks around its texts, and no tag twice', () => {
    const content = contentOf({
      ...given,
      sku: ' MUG ',
      name: '\u00a0Mug ',
      category: ' Kitchen ',
      tags: ['Red', ' red', 'RED ', 'blue'],
    });
    assert.deepEqual(
      [content.sku, content.name, content.category, content.tags],
      ['MUG', 'Mug', 'Kitchen', ['Red', 'blue']],
    );
  });

  it('has a tax rate only where its category has one', () => {
    assert.equal(taxRateFault({ ...given, taxRate: '20' }), undefined);
    for (const taxCategory of ['Z', 'E', 'AE', 'K', 'G', 'O'] as const) {
      assert.equal(taxRateFault({ ...given, taxCategory, taxRate: '0.00' }), undefined);
      const fault = taxRateFault({ ...given, taxCategory, taxRate: '0.000001' });
      assert.match(fault ?? '', new RegExp(`tax category ${taxCategory}`));
    }
  });
});

describe('A product with another content', () => {
  const product = newProduct(
    contentOf({ ...given, tags: ['a', 'b'], metadata: { x: '1', y: '2' } }),
    'id',
    made,
  );

  it('is itself where that says the same', () => {
    for (const same of [
      { tags: ['a', 'b'], metadata: { x: '1', y: '2' } },
      { tags: ['a', 'b', 'A'], metadata: { y: '2', x: '1' }, price: 5, taxRate: '0.0', sku: ' MUG' },
    ])
      assert.equal(withContent(product, contentOf({ ...given, ...same }), later), product);
  });

  it('is the next version, changed now, whatever differs', () => {
    const same = { ...given, tags: ['a', 'b'], metadata: { x: '1', y: '2' } };
    for (const change of [
      { sku: 'mug' },
      { name: 'mug' },
      { description: '' },
      { price: '5.000001' },
      { currency: 'USD' },
      { tags: ['b', 'a'] },
      { tags: ['a'] },
      { metadata: { x: '1' } },
      { metadata: { x: '2', y: '1' } },
      { reorderPoint: 0 },
      { trackStock: true },
    ]) {
      const next = withContent(product, contentOf({ ...same, ...change }), later);
      assert.deepEqual(
        [next.version, next.updatedAt, next.createdAt, next.id],
        [2, later, made, 'id'],
        JSON.stringify(change),
      );
    }
  });
});
