import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planKeys } from './key-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const rules = { periodMs: 30 * DAY, leadMs: 10 * MINUTE, tokenLifetimeMs: HOUR };
const START = Date.parse('2026-01-01T00:00:00Z');
const key = (id: string, activeFrom: number) => ({ id, activeFrom: new Date(START + activeFrom) });

const [old, next] = [key('old', 0), key('next', 30 * DAY)];

interface Expected {
  readonly current: string | undefined;
  readonly published: string;
  readonly expired?: string;
  /** Milliseconds after the start. */
  readonly makeFrom?: number;
}

const cases: readonly (readonly [
  name: string,
  keys: readonly ReturnType<typeof key>[],
  now: number,
  expected: Expected,
])[] = [
  ['no key: one is made for now', [], 0, { current: undefined, published: '', makeFrom: 0 }],
  ['a key of this very moment signs', [old], 0, { current: 'old', published: 'old' }],
  ['a young key is left alone', [old], DAY, { current: 'old', published: 'old' }],
  ['no new key a moment too early', [old], 30 * DAY - 10 * MINUTE - 1, { current: 'old', published: 'old' }],
  [
    'the next is made the lead before the period ends',
    [old],
    30 * DAY - 10 * MINUTE,
    { current: 'old', published: 'old', makeFrom: 30 * DAY },
  ],
  [
    'after a long sleep the next still gets its lead',
    [old],
    90 * DAY,
    { current: 'old', published: 'old', makeFrom: 90 * DAY + 10 * MINUTE },
  ],
  [
    'the next is published and does not sign yet',
    [old, next],
    30 * DAY - 1,
    { current: 'old', published: 'next,old' },
  ],
  ['one next is enough', [old, next], 30 * DAY - 5 * MINUTE, { current: 'old', published: 'next,old' }],
  ['the next signs from its time on', [old, next], 30 * DAY, { current: 'next', published: 'next,old' }],
  [
    'the old is published while its last token lives',
    [old, next],
    30 * DAY + HOUR - 1,
    { current: 'next', published: 'next,old' },
  ],
  [
    'and expires with it',
    [old, next],
    30 * DAY + HOUR,
    { current: 'next', published: 'next', expired: 'old' },
  ],
  [
    'the order in which keys are given does not matter',
    [next, old],
    30 * DAY + HOUR,
    { current: 'next', published: 'next', expired: 'old' },
  ],
  [
    'a clock set back before all keys: they stay published, and one is made for now',
    [next],
    0,
    { current: undefined, published: 'next', makeFrom: 0 },
  ],
  [
    'several retired keys expire each in its time',
    [key('a', 0), key('b', HOUR), key('c', 3 * HOUR)],
    3 * HOUR,
    { current: 'c', published: 'c,b', expired: 'a' },
  ],
];

describe('The schedule of signing keys', () => {
  for (const [name, keys, now, expected] of cases) {
    it(name, () => {
      const plan = planKeys(keys, new Date(START + now), rules);
      const ids = (all: readonly { id: string }[]): string => all.map(({ id }) => id).join();
      assert.equal(plan.current?.id, expected.current);
      assert.equal(ids(plan.published), expected.published);
      assert.equal(ids(plan.expired), expected.expired ?? '');
      assert.equal(
        plan.makeNextFrom?.getTime(),
        expected.makeFrom === undefined ? undefined : START + expected.makeFrom,
      );
    });
  }

  it('over a year has always one key that signs, never an early or a missing one', () => {
    let keys: ReturnType<typeof key>[] = [];
    let made = 0;
    for (let now = 0; now <= 365 * DAY; now += MINUTE) {
      const plan = planKeys(keys, new Date(START + now), rules);
      if (plan.makeNextFrom !== undefined) keys.push({ id: String(++made), activeFrom: plan.makeNextFrom });
      keys = keys.filter((each) => !plan.expired.includes(each));
      if (now > 0) assert.ok(plan.current !== undefined);
      assert.ok(keys.length <= 2);
    }
    assert.equal(made, 13); // one to begin with, and one after each 30 days
  });
});
