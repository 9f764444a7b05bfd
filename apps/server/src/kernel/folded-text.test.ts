import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { caseless, foldText } from './folded-text.ts';

describe('Folded text', () => {
  it('is the same for what people take for the same', () => {
    for (const [a, b] of [
      ['Café', 'CAFE'],
      ['Cafe\u0301', 'caf\u00e9'],
      ['Straße', 'STRASSE'],
      ['STRAẞE', 'strasse'],
      ['Ångström', 'angstrom'],
      ['Smørrebrød', 'SMORREBROD'],
      ['Łódź', 'lodz'],
      ['Đà Nẵng', 'da nang'],
      ['Æther', 'aether'],
      ['İSTANBUL', 'istanbul'],
      ['ısı', 'ISI'],
      ['ｃａｆｅ', 'cafe'],
      ['ﬁne', 'FINE'],
      ['Ελλάδα', 'ΕΛΛΑΔΑ'],
      ['ΟΔΟΣ', 'οδοσ'],
      ['Ёлка', 'елка'],
      ['ЙОД', 'иод'],
      ['مُحَمَّد', 'محمد'],
      ['أحمد', 'احمد'],
      ['שָׁלוֹם', 'שלום'],
      ['\u1112\u1161\u11ab', '한'],
      ['  a \t\u00a0 b\n', 'a b'],
    ] as const)
      assert.equal(foldText(a), foldText(b), `${a} and ${b}`);
  });

  it('of a beginning is a beginning of the whole, also where a letter has a form of its own at the end', () => {
    assert.ok(foldText('ΛΟΓΟΣΗΜΟ').startsWith(foldText('ΛΟΓΟΣ')));
  });

  it('keeps apart what differs', () => {
    for (const [a, b] of [
      ['cafe', 'cafes'],
      ['a b', 'ab'],
      ['a-b', 'a b'],
      ['が', 'い'],
      ['कि', 'की'],
    ] as const)
      assert.notEqual(foldText(a), foldText(b));
  });

  it('stays as it is when it is folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(foldText(foldText(text)), foldText(text));
      }),
      { numRuns: 500 },
    );
  });
});

describe('Caseless text', () => {
  it('is blind to case and to how an accent is written, and sees the accent', () => {
    assert.equal(caseless('CAFE\u0301'), caseless('café'));
    assert.equal(caseless('ΟΔΟΣ'), caseless('οδος'));
    assert.equal(caseless('ΟΔΟΣ'), caseless('οδοσ'));
    assert.notEqual(caseless('cafe'), caseless('café'));
  });
});
