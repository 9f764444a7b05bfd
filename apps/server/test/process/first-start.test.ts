import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { TestClient } from '#test/client.ts';
import type { FirstRun } from '../../src/start/first-run.ts';
import {
  makeHome,
  postmasterOf,
  processesOf,
  readFirstRun,
  runToEnd,
  signIn,
  startServer,
} from './server-process.ts';

const run = promisify(execFile);

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}

test('a data directory through its first two starts', async (t) => {
  const home = await makeHome(t);
  const server = startServer(t, home, { env: { TENANTRY_LOG_LEVEL: 'debug' } });
  await server.ready();
  const first = await readFirstRun(home);
  assert.ok(first.demo);
  const { operator, demo } = first;
  const operatorClient = await signIn(home.origin, operator);

  await t.test('first-run.json has exactly the documented shape and is private', async () => {
    assert.equal((await stat(join(home.dataDir, 'first-run.json'))).mode & 0o777, 0o600);
    assert.deepEqual(Object.keys(first), ['baseUrl', 'operator', 'demo']);
    assert.deepEqual(Object.keys(operator).sort(), ['clientId', 'clientSecret', 'email', 'password']);
    assert.deepEqual(Object.keys(demo).sort(), [
      'clientId',
      'clientSecret',
      'email',
      'password',
      'tenantId',
      'testing',
    ]);
    assert.deepEqual(Object.keys(demo.testing).sort(), ['clientId', 'clientSecret', 'tenantId']);
    assert.equal(first.baseUrl, home.origin);
  });

  await t.test('its credentials open the workspaces that it names', async () => {
    for (const credentials of [demo, demo.testing]) {
      const client = await signIn(home.origin, credentials);
      assert.equal((await client.get(`/tenants/${credentials.tenantId}`)).body.id, credentials.tenantId);
    }
    const { body } = await operatorClient.get('/tenants');
    assert.deepEqual(body.items.map((tenant: { subdomain: string }) => tenant.subdomain).sort(), [
      'demo',
      'demo-testing',
      'platform',
      'platform-testing',
    ]);
  });

  await t.test('the banner shows the addresses and every credential', () => {
    const shown = server.stdout();
    assert.match(shown, new RegExp(`API +${home.origin}\n`));
    assert.match(shown, new RegExp(`Reference +${home.origin}/docs\n`));
    for (const { email, password, clientId, clientSecret } of [operator, demo]) {
      for (const each of [email, password, clientId, clientSecret]) assert.ok(shown.includes(each), each);
    }
  });

  await t.test(
    'the commands in the banner work when pasted',
    { skip: !hasCurl() && 'curl is not installed' },
    async () => {
      const script = server.stdout().split('\n').filter(isOfCommand).join('\n');
      const { stdout, stderr } = await run('/bin/sh', ['-c', script]);
      assert.equal(stderr, '');
      assert.equal(JSON.parse(stdout).items[0].id, demo.tenantId);
    },
  );

  await t.test('the log holds neither a secret nor a token, even at level debug', async () => {
    const token = await signInRaw(home.origin, demo);
    await new TestClient(home.origin, token).get('/tenants');
    const log = server
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .join('\n');
    assert.match(log, /"msg":"request"/);
    for (const secret of [...secretsOf(first), token]) assert.ok(!log.includes(secret));
    assert.equal(server.stderr(), '');
  });

  await t.test(
    'a second server is told who is there, on this port or another, and the first goes on',
    async () => {
      for (const port of [String(home.port), '0']) {
        const second = await runToEnd(t, home, { env: { TENANTRY_PORT: port } });
        assert.equal(second.code, 1);
        assert.match(
          second.stderr,
          new RegExp(
            `^Another Tenantry \\(process ${server.pid}\\) is running on ${home.dataDir}\\.[^\n]*\n$`,
          ),
        );
      }
      assert.equal((await operatorClient.get('/tenants')).status, 200);
    },
  );

  const made = await operatorClient.post('/tenants', {
    name: 'Kept',
    subdomain: 'kept',
    administrator: { email: 'ada@kept.example', name: 'Ada' },
  });
  assert.equal(made.status, 201);

  await t.test('SIGTERM ends the server with code 0 and its database with it', async () => {
    assert.notEqual(await postmasterOf(home), undefined);
    assert.equal(await server.stop(), 0);
    assert.deepEqual(await processesOf(home.dataDir), []);
    assert.equal(await postmasterOf(home), undefined);
    assert.equal(server.stderr(), '');
  });

  await rm(join(home.dataDir, 'first-run.json'));
  const again = startServer(t, home);
  await again.ready();

  await t.test(
    'a second start keeps the data, shows no secrets and does not bring the file back',
    async () => {
      for (const secret of secretsOf(first)) assert.ok(!again.stdout().includes(secret));
      await assert.rejects(stat(join(home.dataDir, 'first-run.json')), { code: 'ENOENT' });
      const client = await signIn(home.origin, made.body.client);
      assert.equal((await client.get(`/tenants/${made.body.tenant.id}`)).body.name, 'Kept');
    },
  );

  await t.test('Ctrl-C, which reaches the whole group, ends it in the same orderly way', async () => {
    process.kill(-again.pid, 'SIGINT');
    assert.equal(await again.ended, 0);
    assert.deepEqual(await processesOf(home.dataDir), []);
    assert.match(again.stdout(), /"signal":"SIGINT"[^\n]*\n.*"msg":"stopped"/s);
    assert.equal(again.stderr(), '');
  });
});

const secretsOf = ({ operator, demo }: FirstRun): string[] =>
  [
    operator.password,
    operator.clientSecret,
    demo?.password,
    demo?.clientSecret,
    demo?.testing.clientSecret,
  ].filter((secret) => secret !== undefined);

/** The command runs over several lines; the later ones begin with an option or a pipe. */
const isOfCommand = (line: string): boolean => /^ +(TOKEN=|curl |-d |\| sed )/.test(line);

async function signInRaw(
  origin: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' });
  const response = await fetch(`${origin}/connect/token`, {
    method: 'POST',
    body,
    headers: { authorization },
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
