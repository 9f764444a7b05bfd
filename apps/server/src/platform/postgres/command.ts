import { execFile, type SpawnOptions } from 'node:child_process';
import { StartError } from '#platform/start-error.ts';

/** The user PostgreSQL runs as. It refuses root, and any uid that has no entry in the user database. */
export interface RunAs {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Nothing of our own environment is handed on: it holds secrets, PG* variables that would change what
 * PostgreSQL does, and a HOME that the other user may not reach.
 */
export function childOptions(runAs: RunAs | undefined, cwd: string) {
  return {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, LC_ALL: 'C' } as NodeJS.ProcessEnv,
    ...(runAs && { uid: runAs.uid, gid: runAs.gid }),
  } satisfies SpawnOptions;
}

/** Runs a program to its end. A program that ran and failed is an answer; one that could not run is an error. */
export function run(
  file: string,
  args: readonly string[],
  { runAs, cwd }: { readonly runAs: RunAs | undefined; readonly cwd: string },
): Promise<Finished> {
  return new Promise<Finished>((resolve, reject) => {
    execFile(file, args, childOptions(runAs, cwd), (error, stdout, stderr) => {
      if (!error) return resolve({ code: 0, stdout, stderr });
      if (typeof error.code === 'number') return resolve({ code: error.code, stdout, stderr });
      if (error.signal) return resolve({ code: 128, stdout, stderr: `${stderr}\nended by ${error.signal}` });
      reject(error);
    });
  }).catch((error: NodeJS.ErrnoException) => {
    throw cannotRun(file, runAs, error);
  });
}

export function cannotRun(file: string, runAs: RunAs | undefined, error: NodeJS.ErrnoException): StartError {
  if (runAs && error.code === 'EPERM') {
    return new StartError(
      `Root may not become the user ${runAs.name} here, and PostgreSQL does not run as root: ` +
        'allow SETUID and SETGID, run the server as another user, or set DATABASE_URL.',
      { cause: error },
    );
  }
  return new StartError(`Cannot run ${file}: ${error.message}`, { cause: error });
}
