import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { defaultBaseUrl, describeSettings, readSettings } from './settings.ts';

describe('settings', () => {
  it('need nothing in the environment', () => {
    const settings = readSettings({ PATH: '/bin' });
    assert.equal(settings.host, '127.0.0.1');
    assert.equal(settings.port, 3000);
    assert.equal(settings.baseUrl, 'http://127.0.0.1:3000');
    assert.equal(settings.dataDir, resolve('data'));
    assert.equal(settings.databaseUrl, undefined);
    assert.deepEqual(settings.trustedProxies, []);
    assert.equal(settings.role, 'all');
    assert.equal(settings.workers, 1);
    assert.equal(settings.rateLimitEnterprise, 5000);
    assert.equal(settings.rateBurstPercent, 20);
  });

  it('are read from the environment, an empty one counting as not set', () => {
    const key = Buffer.alloc(32, 7);
    const settings = readSettings({
      TENANTRY_HOST: '::',
      TENANTRY_PORT: ' 0 ',
      TENANTRY_BASE_URL: 'https://ERP.example.com:443/tenantry',
      TENANTRY_SECRET_KEY: key.toString('base64'),
      TENANTRY_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8, fd00::/8, 192.0.2.1',
      TENANTRY_CORS_ORIGINS: 'https://a.example.com,http://localhost:5173',
      TENANTRY_REDIS_URL: '',
      TENANTRY_LOG_FILE: '/var/log/tenantry.log',
      DATABASE_URL: 'postgres:///tenantry?host=/run/postgresql',
      TENANTRY_OWNER_DATABASE_URL: 'postgresql://owner:p%40ss@db:5432/tenantry',
    });
    assert.equal(settings.port, 0);
    assert.equal(settings.baseUrl, 'https://erp.example.com/tenantry');
    assert.deepEqual(settings.secretKey, key);
    assert.deepEqual(settings.trustedProxies, ['loopback', '10.0.0.0/8', 'fd00::/8', '192.0.2.1']);
    assert.deepEqual(settings.corsOrigins, ['https://a.example.com', 'http://localhost:5173']);
    assert.equal(settings.redisUrl, undefined);
    assert.equal(settings.logFile, '/var/log/tenantry.log');
  });

  it('take the key in hexadecimal as well', () => {
    const key = Buffer.alloc(32, 0xab);
    assert.deepEqual(readSettings({ TENANTRY_SECRET_KEY: key.toString('hex') }).secretKey, key);
  });

  it('let webhooks reach private addresses only in a demo on a loopback address', () => {
    const allowed = (env: Record<string, string>) => readSettings(env).webhooksAllowPrivate;
    assert.equal(allowed({}), true);
    assert.equal(allowed({ TENANTRY_HOST: 'localhost' }), true);
    assert.equal(allowed({ TENANTRY_HOST: '0.0.0.0' }), false);
    assert.equal(allowed({ TENANTRY_HOST: '127.evil.example' }), false);
    assert.equal(allowed({ TENANTRY_DEMO: 'false' }), false);
    assert.equal(allowed({ TENANTRY_HOST: '0.0.0.0', TENANTRY_WEBHOOKS_ALLOW_PRIVATE: 'true' }), true);
  });

  it('give a base URL that a caller can use', () => {
    assert.equal(defaultBaseUrl('::1', 8080), 'http://[::1]:8080');
    assert.equal(defaultBaseUrl('0.0.0.0', 80), 'http://localhost');
    assert.equal(readSettings({ TENANTRY_HOST: '::' }).baseUrl, 'http://localhost:3000');
  });
});

describe('the description of the settings', () => {
  it('tells of a secret only whether it is set, and fits into JSON', () => {
    const description = describeSettings(
      readSettings({
        DATABASE_URL: 'postgres://u:hunter2@db/x',
        TENANTRY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      }),
    );
    assert.equal(description.databaseUrl, 'set');
    assert.equal(description.secretKey, 'set');
    assert.equal(description.smtpUrl, 'not set');
    assert.equal(description.logFile, null);
    assert.equal(description.port, 3000);
    assert.deepEqual(JSON.parse(JSON.stringify(description)), description);
    assert.equal(JSON.stringify(description).includes('hunter2'), false);
  });
});
