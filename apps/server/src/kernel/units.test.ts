import assert from 'node:assert/strict';
import { it } from 'node:test';
import { units } from './units.ts';

it('Units are the common codes of Recommendation 20, in their own spelling', () => {
  for (const code of [
    'C62',
    'H87',
    'EA',
    'KGM',
    'GRM',
    'LTR',
    'MTR',
    'MTK',
    'MTQ',
    'HUR',
    'DAY',
    'MON',
    'KWH',
    'SET',
  ])
    assert.ok(units.has(code), code);
  for (const code of ['', 'c62', 'kgm', 'KG', 'PIECE', 'XYZ', ' C62', 'C62 '])
    assert.ok(!units.has(code), code);
  assert.ok(units.size > 1_000);
});
