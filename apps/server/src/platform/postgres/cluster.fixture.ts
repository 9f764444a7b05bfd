import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { type Cluster, type ClusterOptions, openCluster } from './cluster.ts';

export const superuserPassword = 'only-for-tests';
export const isRoot = process.getuid?.() === 0;
export const needsRoot = isRoot ? false : 'needs root';

const cleanups = new WeakMap<TestContext, (() => Promise<unknown>)[]>();

/** What was begun last ends first: a cluster is stopped before its folder is removed. */
export function atEnd(test: TestContext, cleanup: () => Promise<unknown>): void {
  const known = cleanups.get(test);
  if (known) {
    known.unshift(cleanup);
    return;
  }
  const list = [cleanup];
  cleanups.set(test, list);
  test.after(async () => {
    for (const each of list) await each();
  });
}

/** A folder that other users can pass, since root's PostgreSQL is another user's. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenantry-test-'));
  await chmod(folder, 0o711);
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

export async function makeScratch(test: TestContext): Promise<string> {
  const folder = await makeFolder();
  atEnd(test, () => removeFolder(folder));
  return folder;
}

export async function openForTest(
  test: TestContext,
  dataDir: string,
  more: Partial<ClusterOptions> = {},
): Promise<Cluster> {
  const cluster = await openCluster({ dataDir, superuserPassword, log: () => undefined, ...more });
  atEnd(test, () => cluster.stop());
  return cluster;
}

export async function query(cluster: Cluster, sql: string): Promise<unknown[][]> {
  const client = new pg.Client(cluster.url('postgres', superuserPassword, 'postgres'));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

export interface Server {
  readonly process: ChildProcess;
  /** Resolves when its PostgreSQL is open. */
  readonly opened: Promise<{ pid: number; adopted: boolean }>;
  /** As a power cut would end it, together with an initdb under way; PostgreSQL has a session of its own. */
  kill(): Promise<void>;
}

/** A process of its own that opens the cluster, says so, and stays until it is told to stop by SIGTERM. */
export function startServer(test: TestContext, dataDir: string, user?: { uid: number; gid: number }): Server {
  const program = `
    import { openCluster } from ${JSON.stringify(new URL('cluster.ts', import.meta.url).href)};
    const cluster = await openCluster({
      dataDir: ${JSON.stringify(dataDir)}, superuserPassword: '${superuserPassword}', log: () => undefined,
    });
    process.on('SIGTERM', async () => { await cluster.stop(); process.exit(0); });
    console.log(JSON.stringify({ pid: cluster.pid, adopted: cluster.adopted }));
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    ...user,
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL');
    await ended;
  };
  atEnd(test, kill);
  const opened = once(createInterface(child.stdout), 'line').then(([line]) => JSON.parse(line));
  // Nobody waits for one that is killed before.
  opened.catch(() => undefined);
  return { process: child, opened, kill };
}
