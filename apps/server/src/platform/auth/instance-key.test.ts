import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InstanceKey } from './instance-key.ts';

const key = new InstanceKey(Buffer.alloc(32, 1));
const other = new InstanceKey(Buffer.alloc(32, 2));

describe('The instance key', () => {
  for (const plain of ['', 'a', 'ünïcödé \0 text', 'x'.repeat(100_000)]) {
    it(`opens what it sealed: ${plain.length} characters`, () => {
      assert.equal(key.open(key.seal(plain, 'context'), 'context').toString(), plain);
    });
  }

  it('seals bytes as they are, and never twice the same', () => {
    const bytes = Buffer.from([0, 255, 128, 0]);
    assert.deepEqual(key.open(key.seal(bytes, 'c'), 'c'), bytes);
    assert.notDeepEqual(key.seal('same', 'c'), key.seal('same', 'c'));
  });

  it('opens nothing in another context, with another key, cut short or tampered with', () => {
    const sealed = key.seal('secret', 'context');
    assert.throws(() => key.open(sealed, 'contexu'));
    assert.throws(() => other.open(sealed, 'context'));
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => key.open(sealed.subarray(0, length), 'context'), `cut to ${length}`);
    }
    for (let index = 0; index < sealed.length; index++) {
      const tampered = Buffer.from(sealed);
      tampered.writeUInt8((tampered.readUInt8(index) ^ 1) & 0xff, index);
      assert.throws(() => key.open(tampered, 'context'), `byte ${index}`);
    }
  });

  it('takes no shortened authentication tag', () => {
    const sealed = key.seal('', 'context');
    assert.throws(() => key.open(sealed.subarray(0, 12 + 4), 'context'));
  });

  it('matches a secret with its digest alone, under the same key alone', () => {
    const digest = key.digest('ts_secret');
    assert.equal(key.matches('ts_secret', digest), true);
    assert.equal(key.matches('ts_secreT', digest), false);
    assert.equal(other.matches('ts_secret', digest), false);
    assert.equal(key.matches('ts_secret', Buffer.alloc(0)), false);
  });

  it('proves itself without giving itself away', () => {
    assert.equal(key.proof, new InstanceKey(Buffer.alloc(32, 1)).proof);
    assert.notEqual(key.proof, other.proof);
    assert.notEqual(key.proof, Buffer.alloc(32, 1).toString('hex'));
  });
});
