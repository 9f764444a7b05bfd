import { createHash } from 'node:crypto';
import { chown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '#platform/start-error.ts';
import type { Place } from './place.ts';
import { canReach } from './run-as.ts';

/** Any number would do, since each cluster has a socket directory of its own and no network port. */
export const socketPort = 5432;

/** The socket lies in the cluster, which is private, unless its path is too long for the operating system. */
export async function makeSocketDirectory(place: Place): Promise<string> {
  if (isShortEnough(place.directory)) return place.directory;
  const name = `tenantry-${createHash('sha256').update(place.directory).digest('hex').slice(0, 16)}`;
  for (const base of new Set([tmpdir(), '/tmp'])) {
    const directory = join(base, name);
    if (isShortEnough(directory) && (await canReach(place.runAs, base))) {
      await makePrivate(directory, place);
      return directory;
    }
  }
  throw new StartError(
    `The path ${place.directory} is too long for a socket: choose a shorter data directory.`,
  );
}

/** Linux allows 107 bytes and macOS 103; "/.s.PGSQL.5432" is part of them. */
function isShortEnough(directory: string): boolean {
  return Buffer.byteLength(join(directory, `.s.PGSQL.${socketPort}`)) <= 100;
}

/** Everyone may write to /tmp, so one that is there already may be a trap. */
async function makePrivate(directory: string, { runAs }: Place): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
    if (runAs) await chown(directory, runAs.uid, runAs.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = await lstat(directory);
  const owner = runAs?.uid ?? process.getuid?.();
  if (!found.isDirectory() || found.uid !== owner || (found.mode & 0o077) !== 0) {
    throw new StartError(
      `${directory} belongs to somebody else: remove it, or choose a shorter data directory.`,
    );
  }
}
