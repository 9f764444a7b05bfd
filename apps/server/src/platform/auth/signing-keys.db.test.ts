import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { fetchToken, TestClient } from '#test/client.ts';
import { openTestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Two nodes with a clock of their own, and keys that are as old as the clock. */
async function openTwoNodes() {
  const api = await openTestApi();
  const second = await api.secondNode();
  const tenant = await api.newTenant();
  const nodes = [
    { origin: api.origin, platform: api.platform },
    { origin: second.origin, platform: second.platform },
  ] as const;
  const rows = async () =>
    (
      await asSuperuser(
        api.cluster,
        (client) => client.query('select * from signing_key order by active_from'),
        api.databaseName,
      )
    ).rows;
  const tokenOf = (origin: string) => fetchToken(origin, tenant.clientId, tenant.clientSecret);
  const kidsAt = async (origin: string): Promise<string[]> =>
    (await new TestClient(origin).get('/.well-known/jwks')).body.keys.map(({ kid }: { kid: string }) => kid);
  const tick = () =>
    Promise.all(nodes.map(({ platform }) => platform.keys.reload().then(() => platform.keys.rotate())));
  return { api, nodes, rows, tokenOf, kidsAt, tick };
}

const kidOf = (token: string): string => decodeProtectedHeader(token).kid as string;

describe('Signing keys', () => {
  it('are made once by two nodes that start at the same time', async () => {
    const { api, nodes, rows } = await openTwoNodes();
    await asSuperuser(api.cluster, (client) => client.query('delete from signing_key'), api.databaseName);
    await Promise.all(nodes.map(({ platform }) => platform.keys.reload()));
    await Promise.all(nodes.flatMap(({ platform }) => [platform.keys.rotate(), platform.keys.rotate()]));
    assert.equal((await rows()).length, 1);
    assert.equal(nodes[0].platform.keys.current.id, nodes[1].platform.keys.current.id);
  });

  it('are handed over without a moment in which a good token fails', async () => {
    const { api, nodes, rows, tokenOf, kidsAt, tick } = await openTwoNodes();
    const answers = async (token: string): Promise<number[]> =>
      Promise.all(
        nodes.map(async ({ origin }) => (await new TestClient(origin, token).get('/tenants')).status),
      );
    // Tokens carry the true time, so it is the key that is made old: its period ends a second from now.
    const start = api.clock.now().getTime() + 1_000 - 30 * DAY;
    const aged = `update signing_key set active_from = to_timestamp(${start / 1000})`;
    await asSuperuser(api.cluster, (client) => client.query(aged), api.databaseName);
    const [first] = await rows();

    // Ten minutes before its time the next key is there, once, published by both nodes, and signs nothing.
    api.clock.set(new Date(start + 30 * DAY - 10 * MINUTE));
    await tick();
    const [, next, ...more] = await rows();
    assert.equal(more.length, 0);
    assert.equal(next.active_from.getTime(), start + 30 * DAY);
    for (const { origin } of nodes) assert.deepEqual(await kidsAt(origin), [first.id, next.id]);
    for (const { origin } of nodes) assert.equal(kidOf(await tokenOf(origin)), first.id);

    // One second before the hand-over: the last token of the old key.
    api.clock.set(new Date(start + 30 * DAY - 1_000));
    const last = await tokenOf(nodes[1].origin);
    assert.equal(kidOf(last), first.id);

    // From then on both nodes sign with the next, though nobody has told them anything.
    api.clock.set(new Date(start + 30 * DAY));
    for (const { origin } of nodes) {
      const token = await tokenOf(origin);
      assert.equal(kidOf(token), next.id);
      assert.deepEqual(await answers(token), [200, 200]);
    }
    await tick();
    assert.deepEqual(await answers(last), [200, 200]);
    assert.equal((await rows()).length, 2);

    api.clock.set(new Date(start + 30 * DAY + 59 * MINUTE));
    await tick();
    assert.deepEqual(await answers(last), [200, 200]);

    // When its last token has expired, the old key goes.
    api.clock.set(new Date(start + 30 * DAY + 65 * MINUTE));
    assert.deepEqual(await answers(last), [401, 401]);
    await tick();
    assert.deepEqual(
      (await rows()).map(({ id }) => id),
      [next.id],
    );
    for (const { origin } of nodes) assert.deepEqual(await kidsAt(origin), [next.id]);
  });

  it('reach the other node by announcement', async () => {
    const { api, nodes, rows } = await openTwoNodes();
    const [first] = await rows();
    api.clock.set(new Date((first.active_from as Date).getTime() + 30 * DAY));
    await nodes[0].platform.keys.rotate();
    const until = Date.now() + 1_000;
    while (nodes[1].platform.keys.published.length < 2 && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(nodes[1].platform.keys.published.length, 2);
  });

  it('are published without their private half, and verify what was issued', async () => {
    const { nodes, tokenOf } = await openTwoNodes();
    const { body, text } = await new TestClient(nodes[0].origin).get('/.well-known/jwks');
    assert.doesNotMatch(text, /"d"/);
    const token = await tokenOf(nodes[0].origin);
    await jwtVerify(token, createLocalJWKSet(body), { algorithms: ['ES256'] });
    assert.ok(decodeJwt(token).tenant_id);
  });

  it('are sealed at rest: the row holds no private key, and opens with the right key and id alone', async () => {
    const { api, rows } = await openTwoNodes();
    const [row] = await rows();
    const { instanceKey } = api.platform;
    assert.equal(row.public_jwk.d, undefined);
    assert.doesNotMatch(row.private_jwk_sealed.toString('latin1'), /"kty"|"d"/);
    const opened = JSON.parse(instanceKey.open(row.private_jwk_sealed, row.id).toString());
    assert.equal(opened.x, row.public_jwk.x);
    assert.throws(() => instanceKey.open(row.private_jwk_sealed, `${row.id}0`));
  });
});
