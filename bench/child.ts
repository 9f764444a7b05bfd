import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';

/** A server under load. */
export interface Subject {
  readonly url: string;
  readonly pid: number;
}

const END_MS = 30_000;
const OUTPUT_MAX = 10_000;

/** Starts a baseline: a file that sends its address once it listens, and ends when its parent is gone. */
export async function startBaseline(file: string, input: object, cleanup: Cleanup): Promise<Subject> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(input)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  cleanup.add(() => end(child));
  const [message] = (await Promise.race([once(child, 'message'), failed(child, file)])) as [{ url: string }];
  return { url: message.url, pid: child.pid as number };
}

interface ServerStart {
  readonly file: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Printed when it is up. */
  readonly sign: string;
}

/** Starts the real server as a person does, and waits until it says that it runs. */
export async function startServer(
  { file, cwd, environment, sign }: ServerStart,
  cleanup: Cleanup,
): Promise<number> {
  const child = spawn(process.execPath, [file], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanup.add(() => end(child));
  const said = new Promise<void>((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (text.length < OUTPUT_MAX) text += chunk;
      if (text.includes(sign)) resolve();
    });
  });
  await Promise.race([said, failed(child, file)]);
  return child.pid as number;
}

async function failed(child: ChildProcess, name: string): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`${name} ended with ${code} before it was up`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await gone;
  clearTimeout(impatience);
}
