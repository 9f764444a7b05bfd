import { createHash } from 'node:crypto';
import { access, chmod, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createDurably } from '#platform/config/durable-file.ts';
import { StartError } from '#platform/start-error.ts';
import type { RunAs } from './command.ts';
import { canReach, chooseRunAs, makeSharedDirectory, runAsOwnerOf } from './run-as.ts';

/** Where the cluster lies, and whose it is (`undefined`: ours). */
export interface Place {
  readonly directory: string;
  readonly runAs: RunAs | undefined;
}

/**
 * The cluster lies in `<data dir>/pg`. Root's PostgreSQL runs as another user, whom a folder above the data
 * directory may bar (below /root, say): then it lies in /var/lib/tenantry, and the file `<data dir>/cluster`
 * names the place.
 */
export async function placeCluster(dataDir: string, superuserPassword: string): Promise<Place> {
  const inside = join(dataDir, 'pg');
  const named = await readName(dataDir);
  if (named !== undefined && !(await isCluster(named))) {
    // Going on with an empty database would look like the loss of all data.
    throw new StartError(
      `The database of ${dataDir} lay in ${named} and is not there: restore it, or remove ${join(dataDir, 'cluster')} to begin with an empty one.`,
    );
  }
  for (const existing of [named, inside]) {
    if (existing !== undefined && (await isCluster(existing))) return reachable(existing, dataDir);
  }

  const runAs = await chooseRunAs();
  if (!runAs) return { directory: inside, runAs };
  if (await canReach(runAs, dirname(dataDir))) {
    await letThrough(dataDir);
    return { directory: inside, runAs };
  }
  const directory = join(await makeSharedDirectory(), clusterName(dataDir, superuserPassword));
  return (await isCluster(directory)) ? reachable(directory, dataDir) : { directory, runAs };
}

/** Written once the cluster is there: a start killed before finds it by its name and comes here again. */
export async function namePlace(dataDir: string, { directory }: Place): Promise<void> {
  if (dirname(directory) !== dataDir) await createDurably(join(dataDir, 'cluster'), `${directory}\n`);
}

export async function isCluster(directory: string): Promise<boolean> {
  try {
    await access(join(directory, 'PG_VERSION'));
    return true;
  } catch (error) {
    // One that we may not look into is there all the same, and must not be made anew.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

async function reachable(directory: string, dataDir: string): Promise<Place> {
  const runAs = await runAsOwnerOf(directory);
  if (runAs && dirname(directory) === dataDir) await letThrough(dataDir);
  if (runAs && !(await canReach(runAs, directory))) {
    throw new StartError(
      `The user ${runAs.name}, as whom PostgreSQL runs, cannot reach ${directory}: a folder above it bars the way (chmod o+x).`,
    );
  }
  return { directory, runAs };
}

/** A shared folder such as /tmp keeps its mode: everyone passes there already, and others need it as it is. */
async function letThrough(dataDir: string): Promise<void> {
  const { mode } = await stat(dataDir);
  if ((mode & 0o1000) === 0) await chmod(dataDir, 0o711);
}

/**
 * The password tells a data directory from an earlier one of the same path: whoever removed that one wants an
 * empty database now, not one whose password is lost.
 */
function clusterName(dataDir: string, superuserPassword: string): string {
  return createHash('sha256').update(`${dataDir}\n${superuserPassword}`).digest('hex').slice(0, 16);
}

/** Where the cluster of a data directory lies, or would lie unless a folder bars the way. */
export async function clusterOf(dataDir: string): Promise<string> {
  return (await readName(dataDir)) ?? join(dataDir, 'pg');
}

async function readName(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, 'cluster'), 'utf8').catch(() => '');
  return text.trim() || undefined;
}
