import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldText } from '#kernel/folded-text.ts';
import { newId } from '#kernel/ids.ts';
import { searchable, searchFor, wordsOf } from './search-keys.ts';

const tenantId = newId();
const product = (more: object = {}) => ({
  sku: 'MUG-01',
  name: 'Café mug',
  barcode: null,
  description: null,
  ...more,
});
const reaches = (q: string, indexed = searchable(tenantId, product()), as = tenantId): boolean => {
  const keys = new Set(indexed.keys);
  return searchFor(as, q).alternatives.some((alternative) => alternative.every((key) => keys.has(key)));
};

describe('The keys of a product', () => {
  it('are reached by every part of sku, name and barcode, however long', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcé1 -.🛒Σß'), minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        letters,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('sku', 'name'),
        (text, from, length, field) => {
          const folded = foldText(text);
          const part = folded.slice(from % (folded.length + 1)).slice(0, 1 + (length % 12));
          fc.pre(part.trim() !== '');
          assert.ok(reaches(part, searchable(tenantId, product({ [field]: text }))), `${part} of ${text}`);
        },
      ),
    );
    assert.ok(reaches('638133', searchable(tenantId, product({ barcode: '4006381333931' }))));
  });

  it('are reached by words of the description, and not by parts of them', () => {
    const indexed = searchable(tenantId, product({ description: 'Holds hot, strong tea; dishwasher-safe.' }));
    for (const q of ['hot', 'TEA', 'tea strong', 'dishwasher-safe', 'safe'])
      assert.ok(reaches(q, indexed), q);
    for (const q of ['hol', 'washer', 'cold', 'tea cold']) assert.ok(!reaches(q, indexed), q);
  });

  it('are reached by some words in the name and others in the description', () => {
    const indexed = searchable(tenantId, product({ description: 'for strong tea' }));
    assert.ok(reaches('mug strong', indexed));
    assert.ok(!reaches('cup strong', indexed));
  });

  it('have nothing in common with those of the same product in another tenant', () => {
    const own = new Set(searchable(tenantId, product()).keys);
    const shared = searchable(newId(), product()).keys.filter((key) => own.has(key));
    assert.ok(shared.length <= 1, `${shared.length} of ${own.size}`); // hashes of 32 bits may meet by chance
    assert.ok(!reaches('mug-01', searchable(newId(), product())));
  });

  it('are integers that the database can hold, each once', () => {
    const { keys } = searchable(
      tenantId,
      product({ name: 'x'.repeat(200), description: 'y '.repeat(5_000) }),
    );
    assert.equal(new Set(keys).size, keys.length);
    for (const key of keys) assert.ok(Number.isInteger(key) && key >= -(2 ** 31) && key < 2 ** 31);
  });
});

describe('What is searched for', () => {
  it('is folded, and each term counts once', () => {
    const { phrase, terms } = searchFor(tenantId, '  Café  MUG cafe ');
    assert.equal(phrase, 'cafe mug cafe');
    assert.deepEqual(terms, ['cafe', 'mug']);
  });

  it('has few alternatives however many terms it has', () => {
    const q = Array.from({ length: 60 }, (_, i) => `t${i}`).join(' ');
    assert.ok(searchFor(tenantId, q).alternatives.length <= 8);
  });

  it('may be of marks alone, which no product has', () => {
    assert.ok(!reaches('\u0301'));
  });

  it('has the words that stand between all other characters', () => {
    assert.deepEqual(wordsOf('t-shirt, 100% "cotton" t'), ['t', 'shirt', '100', 'cotton']);
  });
});
