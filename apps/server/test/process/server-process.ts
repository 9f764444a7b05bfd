import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atEnd, makeScratch, removeFolder } from '#platform/postgres/cluster.fixture.ts';
import { fetchToken, TestClient } from '#test/client.ts';
import type { FirstRun } from '../../src/start/first-run.ts';

const program = fileURLToPath(new URL('../../start.js', import.meta.url));
const PATIENCE_MS = 60_000;

/** A place for one server: a data directory and a port that stay the same over all its starts. */
export interface Home {
  /** Holds the data directory; it is also where the server is started, so that no `.env` is found. */
  readonly folder: string;
  readonly dataDir: string;
  readonly port: number;
  readonly origin: string;
}

export interface ServerProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly origin: string;
  stdout(): string;
  stderr(): string;
  /** Resolves when the banner is there, which is when requests are served; rejects when the server ends before. */
  ready(): Promise<void>;
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Asks the server to end, and answers with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
  /** As a crash of the machine would end it and its own children; PostgreSQL, in a session of its own, stays. */
  kill(): Promise<void>;
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
}

/** At the end of the test whatever still runs from this folder is ended, and then the folder goes. */
export async function makeHome(test: TestContext, folder?: string): Promise<Home> {
  const own = folder ?? (await makeScratch(test));
  const dataDir = join(own, 'data');
  atEnd(test, async () => {
    const elsewhere = await readFile(join(dataDir, 'cluster'), 'utf8').catch(() => '');
    for (const pid of await processesOf(dataDir)) signalIfThere(pid, 'SIGKILL');
    await until(async () => (await processesOf(dataDir)).length === 0);
    if (elsewhere.trim() !== '') await removeFolder(elsewhere.trim());
  });
  const port = await freePort();
  return { folder: own, dataDir, port, origin: `http://127.0.0.1:${port}` };
}

export function startServer(
  test: TestContext,
  home: Home,
  { env = {}, uid, gid }: StartOptions = {},
): ServerProcess {
  const child = spawn(process.execPath, [program], {
    cwd: home.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group of its own, so that a test can send what Ctrl-C sends
    env: {
      PATH: process.env.PATH ?? '',
      TENANTRY_DATA_DIR: home.dataDir,
      TENANTRY_PORT: String(home.port),
      TENANTRY_MAX_EVENT_LOOP_DELAY_MS: '0', // a busy test machine is no reason to refuse
      ...env,
    },
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const pid = child.pid as number;
  const kill = async (): Promise<void> => {
    signalIfThere(-pid, 'SIGKILL');
    await ended;
  };
  atEnd(test, kill);
  return {
    pid,
    child,
    origin: home.origin,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    ready: async () => {
      const isUp = until(
        async () =>
          child.exitCode !== null || child.signalCode !== null || output.stdout.includes('is running.'),
      );
      await isUp.catch(() => {});
      if (!output.stdout.includes('is running.'))
        throw new Error(`the server did not start:\n${output.stdout}\n${output.stderr}`);
    },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
    kill,
  };
}

/** A server that is to refuse: all it says on stderr, and how it ended. */
export async function runToEnd(
  test: TestContext,
  home: Home,
  options?: StartOptions,
): Promise<{ code: number | string; stderr: string; stdout: string }> {
  const server = startServer(test, home, options);
  const code = await server.ended;
  return { code, stderr: server.stderr(), stdout: server.stdout() };
}

export async function readFirstRun(home: Home): Promise<FirstRun> {
  return JSON.parse(await readFile(join(home.dataDir, 'first-run.json'), 'utf8')) as FirstRun;
}

export async function signIn(
  origin: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<TestClient> {
  return new TestClient(origin, await fetchToken(origin, clientId, clientSecret));
}

/** The postmaster of a home's own database. */
export async function postmasterOf(home: Home): Promise<number | undefined> {
  const text = await readFile(join(home.dataDir, 'pg', 'postmaster.pid'), 'utf8').catch(() => '');
  return text === '' ? undefined : Number(text.split('\n')[0]);
}

/** Processes whose command line names the directory: postmasters and initdb, wherever their cluster lies. */
export async function processesOf(dataDir: string): Promise<number[]> {
  const cluster = (await readFile(join(dataDir, 'cluster'), 'utf8').catch(() => '')).trim();
  const places = [dataDir, cluster].filter((place) => place !== '');
  const found: number[] = [];
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    if (places.some((place) => command.includes(`${place}/`) || command.includes(`${place}\0`)))
      found.push(Number(entry));
  }
  return found;
}

export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'what the test waits for',
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`${what} did not happen`);
    await sleep(20);
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
