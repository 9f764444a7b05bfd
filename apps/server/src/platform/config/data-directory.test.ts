import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { keepSecrets, prepareDataDirectory } from './data-directory.ts';

async function makeScratch(test: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-test-'));
  await chmod(directory, 0o755);
  test.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

describe('the data directory', () => {
  it('is made, private, with the folders above it, and is left as it is the next time', async (test) => {
    const path = join(await makeScratch(test), 'above', 'data');
    assert.equal(await prepareDataDirectory(path), path);
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    await chmod(path, 0o711);
    await prepareDataDirectory(path);
    assert.equal((await stat(path)).mode & 0o777, 0o711);
    assert.deepEqual(await readdir(path), []);
  });

  it('keeps nothing of a start that was killed while it tried to write', async (test) => {
    const path = await makeScratch(test);
    await writeFile(join(path, '.probe-0123456789ab'), 'x');
    await prepareDataDirectory(path);
    assert.deepEqual(await readdir(path), []);
  });

  it('is refused in one line where it cannot be written', async (test) => {
    const path = join(await makeScratch(test), 'data');
    await mkdir(path, { mode: 0o555 });
    // Root may write anywhere, so somebody else has to try.
    const program = `
      import { prepareDataDirectory } from ${JSON.stringify(new URL('data-directory.ts', import.meta.url).href)};
      await prepareDataDirectory(${JSON.stringify(path)}).catch((error) => console.log(String(error)));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: '/',
      encoding: 'utf8',
      ...(process.getuid?.() === 0 && { uid: 65534, gid: 65534 }),
    });
    assert.equal(
      output,
      `StartError: Tenantry cannot write to ${path}, its data directory: permission denied.\n`,
    );
  });

  it('is refused where a file is in the way', async (test) => {
    const path = join(await makeScratch(test), 'file');
    await writeFile(path, '');
    await assert.rejects(
      prepareDataDirectory(path),
      /^StartError: Tenantry cannot write to .*not a directory\.$/,
    );
    await assert.rejects(prepareDataDirectory(join(path, 'data')), /^StartError: Tenantry cannot write to /);
  });
});

describe('the secrets', () => {
  it('are made once, kept private, and the same ever after', async (test) => {
    const directory = await makeScratch(test);
    const secrets = await keepSecrets(directory);
    assert.equal(secrets.instanceKey.length, 32);
    assert.equal(new Set(Object.values(secrets).map(String)).size, 4);
    assert.equal((await stat(join(directory, 'secrets.json'))).mode & 0o777, 0o600);
    const text = await readFile(join(directory, 'secrets.json'), 'utf8');
    assert.equal(JSON.parse(text).instanceKey, secrets.instanceKey.toString('base64'));
    assert.deepEqual(await keepSecrets(directory), secrets);
    assert.equal(await readFile(join(directory, 'secrets.json'), 'utf8'), text);
    assert.deepEqual(await readdir(directory), ['secrets.json']);
  });

  it('are the same for all who make them at once', async (test) => {
    const directory = await makeScratch(test);
    const all = await Promise.all(Array.from({ length: 8 }, () => keepSecrets(directory)));
    for (const secrets of all) assert.deepEqual(secrets, all[0]);
    assert.deepEqual(await readdir(directory), ['secrets.json']);
  });

  it('do not hold an instance key that was given, and miss it when it is not given again', async (test) => {
    const directory = await makeScratch(test);
    const given = Buffer.alloc(32, 7);
    const secrets = await keepSecrets(directory, given);
    assert.deepEqual(secrets.instanceKey, given);
    assert.doesNotMatch(await readFile(join(directory, 'secrets.json'), 'utf8'), /instanceKey/);
    assert.deepEqual(await keepSecrets(directory, given), secrets);
    await assert.rejects(keepSecrets(directory), /^StartError: .*set TENANTRY_SECRET_KEY to it again\.$/);
  });

  it('are made private again, and refused when damaged', async (test) => {
    const directory = await makeScratch(test);
    const path = join(directory, 'secrets.json');
    await keepSecrets(directory);
    await chmod(path, 0o644);
    await keepSecrets(directory);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    for (const damaged of ['', '{"ownerPassword":', 'null', '{}']) {
      await writeFile(path, damaged);
      await assert.rejects(keepSecrets(directory), /^StartError: .* is damaged: restore it from a backup\.$/);
    }
  });
});
