import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { Redis } from 'ioredis';
import { createMemoryCounter } from './memory-counter.ts';
import { allowanceOf, type RateLimiter } from './rate-limiter.ts';
import { openRedisRateLimiter } from './redis-rate-limiter.ts';
import { RedisServer, redisIsInstalled } from './redis-server.fixture.ts';

const ten = allowanceOf(8, 25);

/** Keeps what is logged, and tells of it by events named after the level. */
class RecordedLog extends EventEmitter {
  readonly lines: string[] = [];
  info(details: object, message: string): void {
    this.lines.push(`info ${message} ${JSON.stringify(details)}`);
    this.emit('info');
  }
  warn(details: object, message: string): void {
    this.lines.push(`warn ${message} ${JSON.stringify(details)}`);
    this.emit('warn');
  }
}

function openNode(t: TestContext, url: string) {
  const log = new RecordedLog();
  const limiter = openRedisRateLimiter(url, createMemoryCounter(), log);
  t.after(() => limiter.close());
  return { limiter, log };
}

async function startServer(t: TestContext, ...options: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  t.after(() => server.remove());
  return server;
}

async function openTwoNodes(t: TestContext, server: RedisServer) {
  const nodes = [openNode(t, server.url), openNode(t, server.url)] as const;
  await Promise.all(nodes.map(({ log }) => once(log, 'info')));
  return nodes;
}

async function allowedOf(limiter: RateLimiter, key: string, requests: number): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: requests }, () => limiter.consume(key, ten)));
  return verdicts.filter(({ allowed }) => allowed).length;
}

const skip = redisIsInstalled ? false : 'redis-server is not installed';

describe('rate limits in Redis', { skip }, () => {
  it('are one window for two nodes', async (t) => {
    const [a, b] = await openTwoNodes(t, await startServer(t));
    const allowed = await Promise.all([allowedOf(a.limiter, 'client', 9), allowedOf(b.limiter, 'client', 9)]);
    assert.equal(allowed[0] + allowed[1], 10);
    assert.equal((await a.limiter.consume('client', ten)).allowed, false);
    assert.equal((await b.limiter.consume('other client', ten)).remaining, 9);
  });

  it('tell a refused caller to wait until Redis has forgotten its key', async (t) => {
    const server = await startServer(t);
    const [{ limiter }] = await openTwoNodes(t, server);
    await allowedOf(limiter, 'client', 10);
    const { allowed, resetSeconds } = await limiter.consume('client', ten);
    const redis = new Redis(server.url);
    t.after(() => redis.disconnect());
    const msLeft = await redis.pttl('tenantry:limit:client');
    assert.equal(allowed, false);
    assert.ok(msLeft > 0 && msLeft <= resetSeconds * 1000 && resetSeconds <= 60);
    await redis.del('tenantry:limit:client');
    assert.equal((await limiter.consume('client', ten)).allowed, true);
  });

  it('are kept per node while Redis is down, and shared again when it is back', async (t) => {
    const server = await startServer(t);
    const [a, b] = await openTwoNodes(t, server);
    assert.equal(await allowedOf(a.limiter, 'client', 6), 6);

    await server.kill();
    assert.equal(await allowedOf(a.limiter, 'client', 15), 10);
    assert.equal(await allowedOf(b.limiter, 'client', 15), 10);

    const back = Promise.all([once(a.log, 'info'), once(b.log, 'info')]);
    await server.start();
    await back;
    assert.equal((await allowedOf(a.limiter, 'client', 6)) + (await allowedOf(b.limiter, 'client', 6)), 10);
    assert.deepEqual(
      a.log.lines.map((line) => line.split(' ')[0]),
      ['info', 'warn', 'info'],
    );
  });

  it('do not hold up requests while Redis hangs', async (t) => {
    const server = await startServer(t);
    const [a, b] = await openTwoNodes(t, server);
    server.freeze();
    assert.equal(await allowedOf(a.limiter, 'client', 1000), 10);
    await once(a.log, 'warn');
    // The hanging connection has been given up: these do not wait for a timeout any more.
    for (let i = 0; i < 1000; i++) assert.equal((await a.limiter.consume('client', ten)).allowed, false);

    const back = once(a.log, 'info');
    server.thaw();
    await back;
    const keysOfBoth =
      (await allowedOf(a.limiter, 'new client', 6)) + (await allowedOf(b.limiter, 'new client', 6));
    assert.equal(keysOfBoth, 10);
  });

  it('say that Redis refuses the password without telling it', async (t) => {
    const server = await startServer(t, '--requirepass', 'right');
    const { limiter, log } = openNode(t, `${server.url}?password=hunter2`);
    await once(log, 'warn');
    assert.equal(await allowedOf(limiter, 'client', 15), 10);
    assert.match(log.lines.join('\n'), /^warn .*WRONGPASS/);
    assert.equal(log.lines.join('\n').includes('hunter2'), false);
  });
});

it('a node whose Redis is not there limits by itself from the first request on', async (t) => {
  const { limiter, log } = openNode(t, '/nonexistent/redis.sock');
  assert.equal(await allowedOf(limiter, 'client', 15), 10);
  await once(log, 'warn');
  assert.match(log.lines.join('\n'), /ENOENT/);
  assert.equal((await limiter.consume('client', ten)).allowed, false);
});
