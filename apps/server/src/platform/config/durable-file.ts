import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a file that is, after a crash at any moment, either absent or whole. It never replaces one: of two
 * processes at once the first wins and the other is told `false`, so that both go on with the same content.
 */
export async function createDurably(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    const created = await publish(draft, path);
    await syncDirectory(dirname(path));
    return created;
  } finally {
    await rm(draft, { force: true });
  }
}

/** A link, unlike a rename, refuses to replace. File systems without links (FAT, some shares) get a rename. */
async function publish(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP' && code !== 'ENOTSUP') throw error;
    await rename(draft, path);
    return true;
  }
}

/** A new name is only on the disk once its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
