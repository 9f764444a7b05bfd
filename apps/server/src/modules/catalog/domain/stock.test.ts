import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decimalText, millionths } from '#kernel/decimal.ts';
import { isRefused } from '#kernel/decision.ts';
import { contentOf, newProduct, type Product } from './product.ts';
import { moveStock, openStock } from './stock.ts';

const now = new Date('2026-01-01T00:00:00Z');
const product = (more: Partial<Product> = {}): Product => ({
  ...newProduct(
    contentOf({ sku: 'MUG', name: 'Mug', price: 1, currency: 'EUR', trackStock: true }),
    'id',
    now,
  ),
  ...more,
});
const moving = (quantity: string) =>
  ({ id: 'movement', kind: 'adjustment', quantity, reason: null, reference: null }) as const;

function moved(from: Product, quantity: string) {
  const result = moveStock(from, moving(quantity), now);
  assert.ok(!isRefused(result), JSON.stringify(result));
  return result;
}

function refusal(from: Product, quantity: string): string {
  const result = moveStock(from, moving(quantity), now);
  assert.ok(isRefused(result));
  return result.refusal;
}

describe('A movement', () => {
  it('takes the next number and makes the next version', () => {
    const { product: after, movement } = moved(
      product({ stockOnHand: '1.5', movementCount: 4, version: 9 }),
      '2.50',
    );
    assert.deepEqual([after.stockOnHand, after.movementCount, after.version], ['4', 5, 10]);
    assert.deepEqual([movement.number, movement.quantity, movement.balance], [5, '2.5', '4']);
  });

  it('that opens the ledger belongs to the creation, and makes no next version', () => {
    const opened = openStock(product(), { id: 'movement', quantity: '7.50' }, now);
    assert.ok(!isRefused(opened));
    assert.deepEqual([opened.product.stockOnHand, opened.product.version], ['7.5', 1]);
    assert.deepEqual([opened.movement.number, opened.movement.balance], [1, '7.5']);
    const refused = openStock(product({ trackStock: false }), { id: 'movement', quantity: '1' }, now);
    assert.ok(isRefused(refused) && refused.refusal === 'stock-not-tracked');
  });

  it('never brings stock below zero where that is denied, and always nearer to it', () => {
    assert.equal(moved(product({ stockOnHand: '10' }), '-10').product.stockOnHand, '0');
    assert.equal(refusal(product({ stockOnHand: '10' }), '-10.000001'), 'insufficient-stock');
    assert.equal(moved(product({ stockOnHand: '-5' }), '2').product.stockOnHand, '-3');
    assert.equal(refusal(product({ stockOnHand: '-5' }), '-0.000001'), 'insufficient-stock');
    assert.equal(moved(product({ stockPolicy: 'allow' }), '-1').product.stockOnHand, '-1');
  });

  it('is refused where stock is not tracked or would be beyond all bounds', () => {
    assert.equal(refusal(product({ trackStock: false }), '1'), 'stock-not-tracked');
    assert.equal(refusal(product({ stockOnHand: '9999999999999.999999' }), '0.000001'), 'stock-out-of-range');
    const below = product({ stockOnHand: '-9999999999999.999999', stockPolicy: 'allow' });
    assert.equal(refusal(below, '-0.000001'), 'stock-out-of-range');
    assert.equal(
      moved(product({ stockOnHand: '9999999999999.999998' }), '0.000001').product.movementCount,
      1,
    );
  });

  it('adds up with all others to the balance', () => {
    const quantity = fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }).filter((value) => value !== 0n);
    fc.assert(
      fc.property(
        fc.array(quantity),
        fc.constantFrom('deny' as const, 'allow' as const),
        (quantities, stockPolicy) => {
          let current = product({ stockPolicy });
          let sum = 0n;
          for (const value of quantities) {
            const result = moveStock(current, moving(decimalText(value)), now);
            if (isRefused(result)) continue;
            current = result.product;
            sum += value;
            assert.equal(millionths(result.movement.balance), sum);
          }
          assert.equal(millionths(current.stockOnHand), sum);
          assert.ok(stockPolicy === 'allow' || sum >= 0n);
        },
      ),
    );
  });
});
