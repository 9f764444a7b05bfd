import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonical, decimalFault, decimalText, LARGEST, millionths } from './decimal.ts';

const anyDecimal = fc.bigInt({ min: -LARGEST, max: LARGEST });

describe('A decimal is taken', () => {
  it('as text or as a number of at most 15 significant digits', () => {
    for (const value of ['0', '-1', '007.50', '0.000001', '9999999999999.999999', '-9999999999999.999999'])
      assert.equal(decimalFault(value, {}), undefined, value);
    for (const value of [0, -0, 1, 120.5, 0.1, 1e-6, 1234567890123, 1234567890.12345, 9999999999999])
      assert.equal(decimalFault(value, {}), undefined, String(value));
  });

  it('and nothing else is', () => {
    for (const text of [
      '',
      ' ',
      '1,5',
      '1.',
      '.5',
      '+1',
      '--1',
      '1e3',
      '0x10',
      'NaN',
      'Infinity',
      '1 ',
      '1\n',
      '١',
      '9'.repeat(1_000_000),
    ])
      assert.match(decimalFault(text, {}) ?? '', /must be a decimal/, JSON.stringify(text.slice(0, 20)));
    for (const value of ['1.0000000', '0.0000001', 1e-7, 1e21])
      assert.match(decimalFault(value, {}) ?? '', /at most 6 decimals/, String(value));
    for (const value of [0.1 + 0.2, 1234567890.123456, 2 ** 53, 1 / 3])
      assert.match(decimalFault(value, {}) ?? '', /15 significant digits/, String(value));
    for (const value of ['10000000000000', '-10000000000000', 1e13, '9'.repeat(40)])
      assert.match(decimalFault(value, {}) ?? '', /below 10000000000000/, String(value));
  });

  it('within its bounds, which are exact', () => {
    assert.equal(decimalFault('-0.000001', { minimum: '0' }), 'must be at least 0');
    assert.equal(decimalFault('-0', { minimum: '0' }), undefined);
    assert.equal(decimalFault('100.000001', { maximum: '100' }), 'must be at most 100');
    assert.equal(decimalFault('100.000000', { maximum: '100' }), undefined);
    for (const zero of ['0', '-0.00', 0])
      assert.equal(decimalFault(zero, { notZero: true }), 'must not be 0');
    assert.equal(decimalFault('-0.000001', { notZero: true }), undefined);
  });
});

describe('A decimal', () => {
  it('has one way to be written', () => {
    for (const [given, decimals, text] of [
      ['007.50', 0, '7.5'],
      [7.5, 2, '7.50'],
      ['7.123456', 2, '7.123456'],
      ['-0', 0, '0'],
      ['-0.50', 3, '-0.500'],
      ['100', 0, '100'],
      [1e-6, 0, '0.000001'],
      ['9007199254740993', 0, '9007199254740993'],
    ] as const)
      assert.equal(canonical(given, decimals), text);
  });

  it('comes back from its text exactly, whatever its size', () => {
    fc.assert(
      fc.property(
        anyDecimal,
        fc.nat(6),
        (value, decimals) => millionths(decimalText(value, decimals)) === value,
      ),
    );
    fc.assert(fc.property(anyDecimal, (value) => canonical(decimalText(value, 6)) === decimalText(value)));
    fc.assert(fc.property(anyDecimal, (value) => decimalFault(decimalText(value), {}) === undefined));
  });
});
