import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '#platform/start-error.ts';
import { type Hold, takeHold } from './hold.ts';
import { type Launched, type LaunchOptions, launch } from './launch.ts';
import { findPostmaster } from './postmaster.ts';
import { socketPort } from './socket-directory.ts';

export interface Connected {
  readonly pid: number;
  readonly socketDirectory: string;
  readonly hold: Hold;
  readonly adopted: boolean;
}

const limitMs = 60_000;

/**
 * Goes round until a postmaster accepts us, whoever started it: one may be there, may be on its way down, may be
 * started by another server at this moment, or may be ours to start.
 */
export async function connect(
  options: Omit<LaunchOptions, 'stranger'>,
  superuserPassword: string,
): Promise<Connected> {
  const deadline = Date.now() + limitMs;
  let launched: Launched | undefined;
  let refusal = 'it does not listen';
  while (Date.now() < deadline) {
    const occupant = await findPostmaster(options.place.directory);
    if (occupant.kind === 'postmaster' && occupant.socketDirectory !== undefined) {
      const { pid, socketDirectory } = occupant;
      const answer = await tryHold(socketDirectory, superuserPassword, options.dataDir);
      if (typeof answer !== 'string') {
        return { pid, socketDirectory, hold: answer, adopted: pid !== launched?.pid };
      }
      refusal = answer;
    } else if (occupant.kind !== 'postmaster' && (await mustLaunch(launched))) {
      const stranger = occupant.kind === 'stranger' ? occupant.pid : undefined;
      launched = await launch({ ...options, stranger });
    }
    await sleep(20);
  }
  throw new StartError(
    `PostgreSQL did not accept connections within ${limitMs / 1000} s: ${refusal}.${await quoteLog(launched)}`,
  );
}

/**
 * One that failed is worth another try for two causes only, which pass by themselves: another server's was
 * faster, or the children of one that was killed are not all gone. One that another server joined and stopped
 * before we joined it ourselves is worth one, too.
 */
async function mustLaunch(earlier: Launched | undefined): Promise<boolean> {
  if (!earlier || earlier.state() === 'stopped') return true;
  if (earlier.state() === 'running') return false;
  const lines = await earlier.logLines();
  if (!lines.some((line) => /lock file .* already exists|shared memory block .* still in use/.test(line))) {
    throw new StartError(`PostgreSQL did not start.${await quoteLog(earlier)}`);
  }
  await sleep(200);
  return true;
}

async function tryHold(socketDirectory: string, password: string, dataDir: string): Promise<Hold | string> {
  try {
    return await takeHold(socketDirectory, socketPort, password);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === '28P01') {
      throw new StartError(
        `The database in ${dataDir} was made with another secrets.json than the one that lies there: restore that one.`,
        { cause: error },
      );
    }
    return message;
  }
}

async function quoteLog(launched: Launched | undefined): Promise<string> {
  if (!launched) return '';
  return ` The last lines of ${launched.logPath}: ${(await launched.logLines()).slice(-4).join(' | ')}`;
}
