import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { cannotRun, childOptions } from './command.ts';
import { checkMajor } from './make-cluster.ts';
import type { Place } from './place.ts';
import { openServerLog, readLines } from './server-log.ts';
import { serverArguments } from './settings.ts';
import { makeSocketDirectory, socketPort } from './socket-directory.ts';

export interface Launched {
  readonly pid: number;
  /** 'stopped' means on somebody's demand. */
  readonly state: () => 'running' | 'stopped' | 'failed';
  readonly logPath: string;
  readonly logLines: () => Promise<readonly string[]>;
}

export interface LaunchOptions {
  readonly dataDir: string;
  readonly place: Place;
  readonly binaries: Binaries;
  readonly settings: Readonly<Record<string, string>> | undefined;
  /** A process that has the id of a dead postmaster by chance. */
  readonly stranger: number | undefined;
}

/** Starts a postmaster in a session of its own: Ctrl-C in our terminal reaches it only through us. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const { place, binaries } = options;
  await checkMajor(place, binaries);
  const socketDirectory = await makeSocketDirectory(place);
  const log = await openServerLog(options.dataDir);
  const program = join(binaries.directory, 'postgres');
  try {
    const { env, ...rest } = childOptions(place.runAs, place.directory);
    const child = spawn(
      program,
      serverArguments(place.directory, socketDirectory, socketPort, options.settings),
      {
        ...rest,
        env: { ...env, ...strangerHint(options.stranger) },
        detached: true,
        stdio: ['ignore', log.file.fd, log.file.fd],
      },
    );
    await once(child, 'spawn');
    child.unref();
    return {
      pid: child.pid as number,
      state: () => {
        if (child.exitCode === null && child.signalCode === null) return 'running';
        return child.exitCode === 0 ? 'stopped' : 'failed';
      },
      logPath: log.path,
      logLines: () => readLines(log),
    };
  } catch (error) {
    throw cannotRun(program, place.runAs, error as NodeJS.ErrnoException);
  } finally {
    await log.file.close();
  }
}

/**
 * PostgreSQL refuses to start while the process named in a stale `postmaster.pid` seems alive, which happens
 * when a container starts again and its process ids repeat. Removing the file could hit that of a postmaster
 * just started by another; naming the stranger the way pg_ctl names its parent shell leaves all checks to
 * PostgreSQL and lets it overlook this one process.
 */
function strangerHint(stranger: number | undefined): NodeJS.ProcessEnv {
  return stranger === undefined ? {} : { PG_GRANDPARENT_PID: String(stranger) };
}
