import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const redisIsInstalled = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis of a test's own, on a socket in a folder of its own: no port to quarrel about, nothing kept. */
export class RedisServer {
  readonly url: string;
  readonly #folder: string;
  readonly #options: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, options: readonly string[]) {
    this.#folder = folder;
    this.#options = options;
    this.url = join(folder, 'redis.sock');
  }

  static async start(...options: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await mkdtemp(join(tmpdir(), 'tenantry-redis-')), options);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const place = ['--port', '0', '--unixsocket', this.url, '--dir', this.#folder];
    this.#process = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no', ...this.#options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: this.#process.stdout ?? process.stdin })) {
      if (line.includes('eady to accept connections')) return;
    }
    throw new Error('redis-server did not start');
  }

  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
