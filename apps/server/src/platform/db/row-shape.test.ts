import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rowShape } from './row-shape.ts';

const INT8 = 20;
const TEXT = 25;
const TEXT_ARRAY = 1009;
const TIMESTAMPTZ = 1184;

const readOne = (dataTypeID: number, text: string | null): unknown =>
  rowShape([{ name: 'it', dataTypeID }]).read([text]).it;

describe('A row', () => {
  it('has its columns by their names, whatever these are', () => {
    const names = ['id', 'a"b', "it's", '__proto__', 'constructor', '\\', '?column?'];
    const row = rowShape(names.map((name) => ({ name, dataTypeID: TEXT }))).read(names);
    assert.deepEqual(Object.keys(row), names);
    assert.deepEqual(Object.values(row), names);
  });

  it('keeps what is absent apart from what is empty', () => {
    assert.equal(readOne(TEXT, null), null);
    assert.equal(readOne(TEXT, ''), '');
    assert.equal(readOne(INT8, null), null);
  });

  it('holds whole numbers beyond those of a double', () => {
    assert.equal(readOne(INT8, '9007199254740993'), 9007199254740993n);
  });

  it('reads a moment with any number of decimals, in any time zone and any year', () => {
    const cases: Record<string, string> = {
      '2026-11-15 06:35:55+00': '2026-11-15T06:35:55.000Z',
      '2026-11-15 06:35:55.9+00': '2026-11-15T06:35:55.900Z',
      '2026-11-15 06:35:55.92+00': '2026-11-15T06:35:55.920Z',
      '2026-11-15 06:35:55.007+00': '2026-11-15T06:35:55.007Z',
      '2026-11-15 06:35:55.123456+00': '2026-11-15T06:35:55.123Z',
      '2026-11-15 08:35:55.92+02': '2026-11-15T06:35:55.920Z',
      '2026-11-15 12:05:55.92+05:30': '2026-11-15T06:35:55.920Z',
      '0099-01-01 00:00:00+00': '0099-01-01T00:00:00.000Z',
      '12026-01-01 00:00:00+00': '+012026-01-01T00:00:00.000Z',
    };
    for (const [text, iso] of Object.entries(cases))
      assert.equal((readOne(TIMESTAMPTZ, text) as Date).toISOString(), iso, text);
  });

  it('reads lists of texts, with whatever has to be quoted in them', () => {
    const cases: [string, (string | null)[]][] = [
      ['{}', []],
      ['{red}', ['red']],
      ['{red,blau grün}', ['red', 'blau grün']],
      ['{"a,b","c\\"d","e\\\\f",g}', ['a,b', 'c"d', 'e\\f', 'g']],
      ['{NULL,x}', [null, 'x']],
      ['{"NULL",""}', ['NULL', '']],
    ];
    for (const [text, list] of cases) assert.deepEqual(readOne(TEXT_ARRAY, text), list, text);
  });
});
