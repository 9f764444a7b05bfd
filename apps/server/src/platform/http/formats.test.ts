import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { addOwnFormats, DECIMAL_KEYWORD, formatWords } from './formats.ts';

const ajv = addOwnFormats(new Ajv({ allErrors: true, strict: false }));
const accepts = (format: string, text: string): boolean => ajv.validate({ type: 'string', format }, text);

describe('Own formats', () => {
  for (const [format, good, bad] of [
    ['currency', ['EUR', 'USD', 'JPY', 'BHD'], ['eur', 'EU', 'EURO', 'XXX', 'XAU', 'ABC', '']],
    ['unit', ['C62', 'KGM'], ['c62', 'kg', '']],
    ['gtin', ['96385074', '4006381333931'], ['4006381333932', '123', '']],
    ['line', ['Blue mug', 'ä|b', '', '🛒'], ['a\nb', 'a\tb', '\u0000', '\u007f', '\u0085']],
    ['label', ['blue', 'a,b'], ['a|b', 'a\nb']],
    [
      'uuid',
      ['0190a000-0000-7000-8000-000000000000', 'F47AC10B-58CC-4372-A567-0E02B2C3D479'],
      ['urn:uuid:0190a000-0000-7000-8000-000000000000', '0190a000', ''],
    ],
  ] as const) {
    it(`${format} takes what it names and nothing else, and says what it is`, () => {
      for (const text of good) assert.ok(accepts(format, text), text);
      for (const text of bad) assert.ok(!accepts(format, text), JSON.stringify(text));
      assert.match(formatWords(format), /^must be /);
    });
  }

  it('that are not ours have words as well', () =>
    assert.equal(formatWords('email'), 'must be a valid email'));
});

describe('The decimal keyword', () => {
  const check = ajv.compile({
    type: 'object',
    properties: {
      a: { type: ['string', 'number'], [DECIMAL_KEYWORD]: { minimum: '0' } },
      b: { type: ['string', 'number', 'null'], [DECIMAL_KEYWORD]: { notZero: true } },
    },
  });
  const faults = (value: object): string[] =>
    check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

  it('tells each field its own fault, and forgets it with the next value', () => {
    assert.deepEqual(faults({ a: '-1', b: 0 }), ['/a must be at least 0', '/b must not be 0']);
    assert.deepEqual(faults({ a: '1', b: null }), []);
    assert.deepEqual(faults({ a: 'x' }).length, 1);
  });

  it('leaves other types to the type', () => {
    assert.deepEqual(faults({ a: true, b: [] }), [
      '/a must be string,number',
      '/b must be string,number,null',
    ]);
  });
});
