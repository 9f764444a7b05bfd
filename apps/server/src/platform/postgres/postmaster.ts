import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Who has the process id that `postmaster.pid` names: the postmaster of this cluster (its socket is missing in
 * the first moments), another program, or nobody.
 */
export type Occupant =
  | { readonly kind: 'postmaster'; readonly pid: number; readonly socketDirectory: string | undefined }
  | { readonly kind: 'stranger'; readonly pid: number }
  | { readonly kind: 'nobody' };

export async function findPostmaster(cluster: string): Promise<Occupant> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  // A negative number is a single-user backend; PostgreSQL itself deals with that.
  if (!Number.isInteger(pid) || pid <= 0 || !(await isAlive(pid))) return { kind: 'nobody' };

  const command = await commandLine(pid);
  if (command && basename(command[0] ?? '') !== 'postgres') return { kind: 'stranger', pid };
  // Another cluster's postmaster, or ours under another path: PostgreSQL knows better than we do.
  if (command && !command.includes(cluster)) return { kind: 'nobody' };
  return { kind: 'postmaster', pid, socketDirectory: lines[4] || undefined };
}

/** Asked before a signal is sent, since the id of a process that has ended may be anybody's by now. */
export async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!(await isAlive(pid))) return false;
  const command = await commandLine(pid);
  return !command || command.includes(cluster);
}

/** Fast shutdown: sessions are ended, everything is written. Answers whether the process is gone. */
export async function endPostmaster(pid: number, log: (line: string) => void): Promise<boolean> {
  signal(pid, 'SIGINT');
  if (await isGoneWithin(pid, 30_000)) return true;
  log(
    `PostgreSQL (process ${pid}) did not end within 30 s: it is ended at once and will recover at its next start`,
  );
  signal(pid, 'SIGQUIT');
  return isGoneWithin(pid, 10_000);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function isGoneWithin(pid: number, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (await isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // An adopted postmaster is not our child: where process 1 does not collect it, it stays as a zombie for ever.
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status.slice(status.lastIndexOf(')') + 2, status.lastIndexOf(')') + 3) !== 'Z';
}

/**
 * Undefined where there is no /proc. Not /proc/<pid>/cwd, which says as much: root in a container may not read
 * that of another user's process.
 */
async function commandLine(pid: number): Promise<readonly string[] | undefined> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return text?.split('\0');
}
