import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isGtin } from './gtin.ts';

const VALID = ['96385074', '036000291452', '4006381333931', '10614141000415'];

describe('A GTIN', () => {
  it('has 8, 12, 13 or 14 digits', () => {
    for (const text of VALID) assert.ok(isGtin(text), text);
    // All of zeros check out at any length, so that only the length decides.
    for (let length = 0; length <= 20; length++)
      assert.equal(isGtin('0'.repeat(length)), [8, 12, 13, 14].includes(length), String(length));
  });

  it('is refused with any other digit in any one place', () => {
    for (const text of VALID) {
      for (let place = 0; place < text.length; place++) {
        for (let digit = 0; digit < 10; digit++) {
          const changed = `${text.slice(0, place)}${digit}${text.slice(place + 1)}`;
          assert.equal(isGtin(changed), changed === text, changed);
        }
      }
    }
  });

  it('consists of digits alone', () => {
    for (const text of [
      '4006381333931 ',
      ' 4006381333931',
      '4006381333931\n',
      '400638133393X',
      '٤٠٠٦٣٨١٣٣٣٩٣١',
      '4006-381333931',
    ])
      assert.equal(isGtin(text), false, JSON.stringify(text));
  });
});
