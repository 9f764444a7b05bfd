import assert from 'node:assert/strict';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDirectory } from './atomic-directory.ts';
import { makeScratch } from './cluster.fixture.ts';

const isWhole = (target: string) =>
  access(join(target, 'text')).then(
    () => true,
    () => false,
  );

function write(text: string) {
  return async (workshop: string) => {
    const made = join(workshop, 'made');
    await mkdir(made);
    await sleep(5);
    await writeFile(join(made, 'text'), text);
    return made;
  };
}

describe('a directory built beside its place', () => {
  it('is the work of exactly one of many builders, and no workshop is left', async (test) => {
    const scratch = await makeScratch(test);
    const target = join(scratch, 'target');
    // A folder such as a killed process leaves behind.
    await mkdir(join(scratch, 'target.new-Killed'));
    await Promise.all(['a', 'b', 'c', 'd'].map((text) => buildDirectory(target, isWhole, write(text))));
    assert.match(await readFile(join(target, 'text'), 'utf8'), /^[abcd]$/);
    assert.deepEqual(await readdir(scratch), ['target']);
  });

  it('is not touched once it is there', async (test) => {
    const target = join(await makeScratch(test), 'target');
    await buildDirectory(target, isWhole, write('first'));
    await buildDirectory(target, isWhole, () => assert.fail('was built again'));
    assert.equal(await readFile(join(target, 'text'), 'utf8'), 'first');
  });

  it('does not replace what else lies in its place', async (test) => {
    const scratch = await makeScratch(test);
    await mkdir(join(scratch, 'target'));
    await writeFile(join(scratch, 'target', 'thesis'), 'years of work');
    await assert.rejects(buildDirectory(join(scratch, 'target'), isWhole, write('new')), {
      code: 'ENOTEMPTY',
    });
    assert.deepEqual(await readdir(join(scratch, 'target')), ['thesis']);
    assert.deepEqual(await readdir(scratch), ['target']);
  });

  it('is absent when the building fails', async (test) => {
    const scratch = await makeScratch(test);
    const failing = buildDirectory(join(scratch, 'target'), isWhole, async () => assert.fail('disk full'));
    await assert.rejects(failing, /disk full/);
    assert.deepEqual(await readdir(scratch), []);
  });
});
