import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';
import { TEST_BASE_URL } from '#test/template.ts';

const api = await openTestApi({ smtpUrl: 'smtp://user:hunter2@mail.example' as never });
const operator = await api.operator();

describe('Anybody may ask', () => {
  it('whether the process lives, and whether it is ready, without learning why not', async () => {
    assert.deepEqual((await api.anonymous.get('/api/health/ping')).body, { status: 'pass' });
    const { status, body } = await api.anonymous.get('/api/health');
    assert.equal(status, 200);
    assert.equal(body.status, 'pass');
    for (const check of body.checks)
      assert.deepEqual(Object.keys(check).sort(), ['component', 'latencyMs', 'status']);
  });

  it('for the currencies and their decimals', async () => {
    const { body } = await api.anonymous.get('/api/v1/public/currencies');
    assert.equal(body.items.length, body.totalCount);
    const minorUnits = Object.fromEntries(
      body.items.map((each: { code: string; minorUnits: number }) => [each.code, each.minorUnits]),
    );
    assert.deepEqual([minorUnits.EUR, minorUnits.JPY, minorUnits.BHD], [2, 0, 3]);
  });

  it('where assets are', async () => {
    assert.deepEqual((await api.anonymous.get('/api/assets/base-url')).body, {
      baseUrl: `${TEST_BASE_URL}/assets`,
    });
  });
});

describe('An operator learns', () => {
  it('how the service is configured, but no secret of it', async () => {
    const { status, body, text } = await operator.get('/api/system/info');
    assert.equal(status, 200);
    assert.equal(body.apiVersion, 'v1');
    assert.equal(body.configuration.smtpUrl, 'set');
    assert.ok(!text.includes('hunter2'));
  });

  it('how the database is', async () => {
    const { body } = await operator.get('/api/system/db-status');
    assert.match(body.version, /^\d+/);
    assert.ok(body.migrations.length >= 1 && body.connections.used <= body.connections.max);
  });

  it('how every component is', async () => {
    const { body } = await operator.get('/api/system/health');
    assert.equal(body.status, 'pass');
    for (const component of body.components) assert.equal(component.lastError, null);
  });

  it('how often and how fast operations were answered, and how often there was none to answer', async () => {
    await api.anonymous.get('/no-such-path');
    const { body } = await operator.get('/api/system/performance');
    const unknown = body.operations.find((each: { operation: string }) => each.operation === 'unknownPath');
    assert.equal(unknown?.requests, 1);
    assert.ok(body.operations.some(({ operation }: { operation: string }) => operation === 'getPing'));
    const metrics = await operator.get('/api/system/metrics');
    assert.equal(metrics.status, 200);
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(metrics.text, /^# HELP /m);
    assert.ok(!metrics.text.includes(api.cluster.operator.clientId));
  });
});
