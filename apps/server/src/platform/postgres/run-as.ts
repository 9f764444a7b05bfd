import { chmod, lchown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '#platform/start-error.ts';
import { type RunAs, run } from './command.ts';

/** What root keeps for users that cannot reach the data directory or the checkout. */
const sharedDirectory = '/var/lib/tenantry';

/** Nobody but ourselves (`undefined`) unless we are root. */
export async function chooseRunAs(): Promise<RunAs | undefined> {
  if (!isRoot()) return undefined;
  const users = await readUsers();
  const chosen = users.find(({ name }) => name === 'postgres') ?? users.find(({ name }) => name === 'nobody');
  if (chosen) return chosen;
  throw new StartError(
    'PostgreSQL does not run as root, and /etc/passwd has neither a user postgres nor nobody: ' +
      'run the server as another user, or set DATABASE_URL.',
  );
}

/**
 * A cluster stays with its owner: the user `postgres` may have come to the machine after the first start, or
 * the first start may not have been root's. One that root copied back from a backup is given away again.
 */
export async function runAsOwnerOf(cluster: string): Promise<RunAs | undefined> {
  if (!isRoot()) return undefined;
  const { uid } = await stat(cluster);
  const owner = uid === 0 ? undefined : (await readUsers()).find((user) => user.uid === uid);
  if (owner) return owner;
  const chosen = await chooseRunAs();
  if (chosen) await giveTree(cluster, chosen);
  return chosen;
}

/**
 * Tried for real, since modes alone do not tell (access lists, read-only or noexec mounts). The shell gets the
 * same rights as PostgreSQL will: libuv drops root's supplementary groups when it sets uid and gid.
 */
export async function canReach(runAs: RunAs | undefined, path: string): Promise<boolean> {
  const { code } = await run('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { runAs, cwd: '/' });
  return code === 0;
}

export async function makeSharedDirectory(): Promise<string> {
  try {
    await mkdir(sharedDirectory, { recursive: true });
    await chmod(sharedDirectory, 0o711);
    return sharedDirectory;
  } catch (error) {
    throw new StartError(`Tenantry cannot write to ${sharedDirectory}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function readUsers(): Promise<readonly RunAs[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').filter((line) => !line.startsWith('#'));
  return lines
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid, gid }) => name !== '' && uid > 0 && gid >= 0);
}

async function giveTree(directory: string, { uid, gid }: RunAs): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true }))
    await lchown(join(directory, entry), uid, gid);
  await chmod(directory, 0o700);
  // The top goes last, because its owner is what tells whether this was done.
  await lchown(directory, uid, gid);
}
