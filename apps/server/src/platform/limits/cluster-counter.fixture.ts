/** The processes of cluster-counter.test.ts. Prints what was allowed, one line per count. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { shareRateLimits } from './cluster-counter.ts';
import { openRateLimiter } from './open-rate-limiter.ts';
import { allowanceOf, type RateLimiter } from './rate-limiter.ts';

const hundred = allowanceOf(80, 25);
const silent = { info() {}, warn() {} };

async function countAllowed(limiter: RateLimiter, requests: number): Promise<number> {
  const verdicts = await Promise.all(
    Array.from({ length: requests }, () => limiter.consume('client', hundred)),
  );
  return verdicts.filter(({ allowed }) => allowed).length;
}

type Scenario = Readonly<Record<'primary' | 'worker', () => Promise<void>>>;

function twoWorkers(redisUrl: string | undefined): Scenario {
  return {
    async primary() {
      await Promise.all([cluster.fork(), cluster.fork()].map((worker) => once(worker, 'exit')));
    },
    async worker() {
      const limiter = openRateLimiter({ redisUrl, workers: 2 }, silent);
      console.log(await countAllowed(limiter, 90));
      await limiter.close();
      cluster.worker?.disconnect();
    },
  };
}

const scenarios: Readonly<Record<string, Scenario>> = {
  shared: twoWorkers(undefined),
  'without-redis': twoWorkers('/nonexistent/redis.sock'),

  'dead-worker': {
    async primary() {
      const worker = cluster.fork();
      await once(worker, 'online');
      // Asleep until the worker is dead, so that its question is answered to nobody.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
      // Not by once(), which itself rejects on 'error' and would hide whether anybody else listens.
      worker.on('exit', () => console.log('alive'));
    },
    async worker() {
      void openRateLimiter({ redisUrl: undefined, workers: 2 }, silent).consume('client', hundred);
      setImmediate(() => process.kill(process.pid, 'SIGKILL'));
    },
  },

  'closed-channel': {
    async primary() {
      await once(cluster.fork(), 'exit');
    },
    async worker() {
      const limiter = openRateLimiter({ redisUrl: undefined, workers: 2 }, silent);
      console.log(await countAllowed(limiter, 90));
      cluster.worker?.disconnect();
      await once(process, 'disconnect');
      console.log(await countAllowed(limiter, 150));
    },
  },
};

const scenario = scenarios[process.argv[2] ?? ''];
if (scenario === undefined) throw new Error('no such scenario');
if (cluster.isPrimary) shareRateLimits(silent);
await (cluster.isPrimary ? scenario.primary() : scenario.worker());
