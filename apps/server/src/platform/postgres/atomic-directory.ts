import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncDirectory } from '#platform/config/durable-file.ts';

/**
 * Builds a directory beside its place and moves it there in one step, so that it is at any moment absent or
 * whole. `build` gets a private, empty folder and answers which directory in it to move. Of several builders at
 * once the first to finish wins; the others throw their work away, even if it failed, and use the winner's.
 */
export async function buildDirectory(
  target: string,
  isWhole: (target: string) => Promise<boolean>,
  build: (workshop: string) => Promise<string>,
): Promise<void> {
  if (!(await isWhole(target))) {
    const workshop = await mkdtemp(`${target}.new-`);
    try {
      // A rename onto a directory that is not empty fails: that is what makes the first one win.
      await rename(await build(workshop), target);
      await syncDirectory(dirname(target));
    } catch (error) {
      if (!(await isWhole(target))) throw error;
    } finally {
      await removeQuietly(workshop);
    }
  }
  await removeLeftovers(target);
}

/**
 * Called only once the target is whole: whoever still works in such a folder then has lost already, so there is
 * no need to know whether it is a leftover of a killed process or the work of a living one.
 */
async function removeLeftovers(target: string): Promise<void> {
  const prefix = `${basename(target)}.new-`;
  const leftovers = (await readdir(dirname(target))).filter((name) => name.startsWith(prefix));
  await Promise.all(leftovers.map((name) => removeQuietly(join(dirname(target), name))));
}

/** What cannot be removed now, since somebody still writes there, is removed at the next start. */
async function removeQuietly(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
