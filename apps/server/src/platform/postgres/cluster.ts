import { realpath } from 'node:fs/promises';
import { prepareDataDirectory } from '#platform/config/data-directory.ts';
import { StartError } from '#platform/start-error.ts';
import { findBinaries, useBinaries } from './binaries.ts';
import { type Connected, connect } from './connect.ts';
import { makeCluster } from './make-cluster.ts';
import { clusterOf, namePlace, type Place, placeCluster } from './place.ts';
import { endPostmaster, findPostmaster, isPostmaster } from './postmaster.ts';
import { makeSharedDirectory } from './run-as.ts';
import { socketPort } from './socket-directory.ts';

export interface ClusterOptions {
  readonly dataDir: string;
  /** Other PostgreSQL binaries than those of the npm package, such as /usr/lib/postgresql/15/bin. */
  readonly binDir?: string;
  readonly superuserPassword: string;
  /** Further settings. A postmaster that is adopted keeps the ones it was started with. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

export interface Cluster {
  /** The directory of its Unix socket. */
  readonly host: string;
  readonly port: number;
  /** Whether it ran already: left behind by a server that was killed, or shared with one that runs. */
  readonly adopted: boolean;
  readonly pid: number;
  /** For `pg` and libpq alike. */
  url(user: string, password: string, database: string): string;
  /** Ends PostgreSQL and waits until it is gone. Leaves it running while another server uses it. */
  stop(): Promise<void>;
}

/** Our own PostgreSQL, made at the first start, started where it does not run yet. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const dataDir = await prepareDataDirectory(options.dataDir);
  const { place, connected } = await open(dataDir, options).catch((error: NodeJS.ErrnoException) => {
    // A full disk, a file system without owners: the person needs the line, not our stack.
    if (error.syscall === undefined) throw error;
    throw new StartError(`PostgreSQL cannot be started: ${error.message}`, { cause: error });
  });
  const { pid, socketDirectory: host, adopted } = connected;
  options.log(
    `PostgreSQL ${adopted ? 'runs already' : 'has started'} in ${place.directory} as process ${pid}`,
  );

  let stopped: Promise<void> | undefined;
  return {
    host,
    port: socketPort,
    adopted,
    pid,
    url: (user, password, database) =>
      `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@` +
      `${encodeURIComponent(host)}:${socketPort}/${encodeURIComponent(database)}`,
    stop: () => {
      stopped ??= stop(place, connected, options.log);
      return stopped;
    },
  };
}

/** Looks, and changes nothing: a data directory that is not there yet has none. */
export async function isClusterRunning(dataDir: string): Promise<boolean> {
  const path = await realpath(dataDir).catch(() => undefined);
  return path !== undefined && (await findPostmaster(await clusterOf(path))).kind === 'postmaster';
}

async function open(
  dataDir: string,
  options: ClusterOptions,
): Promise<{ place: Place; connected: Connected }> {
  const { binDir, superuserPassword, settings } = options;
  const place = await placeCluster(dataDir, superuserPassword);
  const binaries =
    binDir === undefined
      ? await findBinaries(place.runAs, place.runAs ? makeSharedDirectory : async () => dataDir)
      : await useBinaries(binDir, place.runAs);
  await makeCluster(place, binaries, superuserPassword);
  await namePlace(dataDir, place);
  return { place, connected: await connect({ dataDir, place, binaries, settings }, superuserPassword) };
}

async function stop(place: Place, { pid, hold }: Connected, log: (line: string) => void): Promise<void> {
  try {
    if (!(await hold.release())) {
      log('PostgreSQL is left running, because another server uses it');
      return;
    }
    if (!(await isPostmaster(pid, place.directory))) return;
    if (!(await endPostmaster(pid, log))) throw new Error(`PostgreSQL (process ${pid}) does not end`);
  } finally {
    hold.close();
  }
}
