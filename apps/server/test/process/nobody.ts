import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The user and group of `nobody`, to start a server as an ordinary user. */
export async function nobody(): Promise<{ uid: number; gid: number }> {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((each) => each.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** Says why not, in the form that `skip` takes. */
export async function nobodyCanRun(): Promise<string | false> {
  if (process.getuid?.() !== 0) return 'needs root, to become another user';
  const program = fileURLToPath(new URL('../../start.js', import.meta.url));
  const { uid, gid } = await nobody();
  try {
    for (const file of [process.execPath, program])
      execFileSync('/bin/sh', ['-c', 'test -r "$1"', 'sh', file], { uid, gid, cwd: '/' });
    return false;
  } catch {
    return 'nobody cannot reach this checkout';
  }
}
