import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const fixture = fileURLToPath(new URL('./cluster-counter.fixture.ts', import.meta.url));

/** Runs a primary with its workers and answers the lines they print. A primary that dies rejects. */
async function run(scenario: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [fixture, scenario]);
  return stdout.trim().split('\n');
}

describe('rate limits of the processes of one node', () => {
  for (const scenario of ['shared', 'without-redis']) {
    it(`are one window: together two workers get exactly what is allowed (${scenario})`, async () => {
      const allowed = (await run(scenario)).map(Number);
      assert.equal(allowed.length, 2);
      assert.equal((allowed[0] ?? 0) + (allowed[1] ?? 0), 100);
    });
  }

  it('outlive a worker that is killed with a question under way', async () => {
    assert.deepEqual(await run('dead-worker'), ['alive']);
  });

  it('are kept by a worker alone once it has left the primary', async () => {
    assert.deepEqual((await run('closed-channel')).map(Number), [90, 100]);
  });
});
