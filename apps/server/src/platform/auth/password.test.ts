import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashPassword, temporaryPassword, verifyPassword } from './password.ts';

describe('A password', () => {
  it('is kept as an argon2id hash in the PHC format, salted', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    assert.match(one, /^\$argon2id\$v=19\$m=65536,t=3,p=4\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(one, two);
  });

  it('is accepted when it is right, and only then', async () => {
    const hash = await hashPassword('correct horse');
    assert.equal(await verifyPassword('correct horse', hash), true);
    for (const wrong of ['correct horsf', 'Correct horse', 'correct horse ', '', 'correct horse\0']) {
      assert.equal(await verifyPassword(wrong, hash), false, JSON.stringify(wrong));
    }
  });

  it('is the same however a keyboard composes its letters', async () => {
    const hash = await hashPassword('Zo\u00eb \u2126');
    assert.equal(await verifyPassword('Zoe\u0308 \u03a9', hash), true);
    assert.equal(await verifyPassword('Zoe \u03a9', hash), false);
  });

  it('matches no hash that is not one', async () => {
    const hash = await hashPassword('x');
    for (const broken of [
      '',
      'x',
      hash.slice(0, -44),
      hash.replace('argon2id', 'argon2i'),
      `${hash}$`,
      ` ${hash}`,
    ]) {
      assert.equal(await verifyPassword('x', broken), false, broken);
    }
  });

  it('verifies hashes of another cost, so that the cost can be raised', async () => {
    // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32
    const reference =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await verifyPassword('password', reference), true);
    assert.equal(await verifyPassword('passworD', reference), false);
  });

  it('made for a first administrator is long, readable and never the same', () => {
    const made = new Set(Array.from({ length: 100 }, temporaryPassword));
    assert.equal(made.size, 100);
    for (const password of made) assert.match(password, /^[a-km-np-z2-9]{5}(-[a-km-np-z2-9]{4,5}){3}$/);
  });
});
