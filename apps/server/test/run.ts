import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCluster } from '#platform/postgres/cluster.ts';
import { makeTemplate, TEST_CLUSTER_VARIABLE } from './template.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm test`: starts a PostgreSQL of its own, makes the template database that every test file clones, runs the tests
 * and stops what it has started. Arguments are files or options of node's test runner; `--slow` runs the slow suites.
 * TEST_POSTGRES_BIN names the binaries of another PostgreSQL to run the same tests on.
 */
const server = fileURLToPath(new URL('..', import.meta.url));

const given = process.argv.slice(2);
const isSlow = given.includes('--slow');
const options = given.filter((argument) => argument.startsWith('--') && argument !== '--slow');
const named = given.filter((argument) => !argument.startsWith('--'));

const isSlowFile = (file: string): boolean => file.endsWith('.slow.test.ts');
const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: server }).sort();
const files =
  named.length > 0
    ? all.filter((file) => named.some((name) => file.includes(name)))
    : all.filter((file) => isSlowFile(file) === isSlow);
if (files.length === 0) {
  console.error(`No test file matches ${named.join(', ')}.`);
  process.exit(1);
}

process.exit(await withTemporaryFolder(runOnCluster));

async function runOnCluster(folder: string): Promise<number> {
  const cluster = await openCluster({
    dataDir: join(folder, 'data'),
    superuserPassword: 'test',
    // Speed over safety: this data is thrown away. Everything else is as it is shipped.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
    log: () => {},
    ...(process.env.TEST_POSTGRES_BIN === undefined ? {} : { binDir: process.env.TEST_POSTGRES_BIN }),
  });
  try {
    return await runTests({ [TEST_CLUSTER_VARIABLE]: JSON.stringify(await makeTemplate(cluster)) });
  } finally {
    await cluster.stop();
  }
}

function runTests(environment: Record<string, string>): Promise<number> {
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TENANTRY_|DATABASE_URL$)/.test(name)),
  );
  const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...options, ...files], {
    cwd: server,
    stdio: 'inherit',
    env: { ...own, ...environment },
  });
  // The runner stops its own children; we wait for it, so that the database is stopped after its last user.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
