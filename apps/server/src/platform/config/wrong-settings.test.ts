import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StartError } from '#platform/start-error.ts';
import { readSettings } from './settings.ts';

function mistakesOf(env: Record<string, string | undefined>): string {
  try {
    readSettings(env);
  } catch (error) {
    assert.ok(error instanceof StartError);
    return error.message;
  }
  return assert.fail('the settings were accepted');
}

describe('wrong settings', () => {
  it('are all named at once, with their values and what is allowed', () => {
    const message = mistakesOf({
      TENANTRY_PORT: '70000',
      TENANTRY_ROLE: 'boss',
      TENANTRY_DEMO: 'yes',
      TENANTRY_WORKERS: '0',
    });
    assert.equal(
      message,
      [
        'The configuration is wrong:',
        '- TENANTRY_PORT is "70000". It must be a whole number from 0 to 65535.',
        '- TENANTRY_DEMO is "yes". It must be true or false.',
        '- TENANTRY_ROLE is "boss". It must be one of all, api, worker.',
        '- TENANTRY_WORKERS is "0". It must be a whole number from 1 to 64.',
      ].join('\n'),
    );
  });

  it('never show the value of a secret', () => {
    const message = mistakesOf({
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      TENANTRY_SECRET_KEY: 'hunter2',
      TENANTRY_REDIS_URL: 'http://:hunter2@redis',
      TENANTRY_SMTP_URL: 'hunter2',
      TENANTRY_SECRET_KYE: 'hunter2',
    });
    assert.equal(message.includes('hunter2'), false);
    for (const name of ['DATABASE_URL', 'TENANTRY_SECRET_KEY', 'TENANTRY_REDIS_URL', 'TENANTRY_SMTP_URL']) {
      assert.match(message, new RegExp(`- ${name} has a wrong value`));
    }
  });

  it('include a misspelt name, with the one that was meant', () => {
    assert.match(
      mistakesOf({ TENANTRY_PROT: '80' }),
      /TENANTRY_PROT is no setting of Tenantry. Did you mean TENANTRY_PORT\?/,
    );
    assert.match(mistakesOf({ tenantry_log_level: 'debug' }), /Did you mean TENANTRY_LOG_LEVEL\?/);
    assert.match(mistakesOf({ TENANTRY_COLOUR_OF_THE_SKY: 'blue' }), /no setting of Tenantry\.$/);
  });

  it('include an owner of a database that is not given', () => {
    const owner = { TENANTRY_OWNER_DATABASE_URL: 'postgres://owner@db/x' };
    assert.match(mistakesOf(owner), /TENANTRY_OWNER_DATABASE_URL is set without DATABASE_URL/);
    assert.match(
      mistakesOf({ ...owner, DATABASE_URL: 'nonsense' }),
      /^[^-]*- DATABASE_URL has a wrong value[^\n]*$/,
    );
  });

  const refused: Record<string, readonly string[]> = {
    TENANTRY_HOST: ['127.0.0.1:80', '[::1]', 'a b', '300.1.1.1', '-x', 'http://x'],
    TENANTRY_PORT: ['-1', '1.5', '0x50', '1e3', 'http'],
    TENANTRY_BASE_URL: [
      'erp.example.com',
      'ftp://x',
      'http://x/',
      'http://x/a/',
      'http://x?a',
      'http://x#a',
      'http://u:p@x',
    ],
    TENANTRY_TRUSTED_PROXIES: [
      '10.0.0.0/33',
      '0.0.0.0/0',
      '10.0',
      'proxy',
      'loopback,',
      '::1/129',
      '10.0.0.1/x',
    ],
    TENANTRY_CORS_ORIGINS: [
      '*',
      'https://a.example.com/',
      'a.example.com',
      'https://a,',
      'https://A.example.com',
    ],
    TENANTRY_SECRET_KEY: ['short', 'a'.repeat(63), 'a'.repeat(45), `${'a'.repeat(42)}!`],
    DATABASE_URL: ['postgres', 'postgres:x', 'postgres://u:p#w@h/d', 'localhost:5432'],
    TENANTRY_REDIS_URL: ['redis://', 'localhost:6379', 'http://x'],
    TENANTRY_SMTP_URL: ['smtp://', 'mail.example.com'],
    TENANTRY_LOG_LEVEL: ['INFO', 'verbose'],
  };
  for (const [name, values] of Object.entries(refused)) {
    it(`of ${name} are refused`, () => {
      for (const value of values) {
        assert.match(mistakesOf({ [name]: value }), new RegExp(`- ${name} .*It must be `), value);
      }
    });
  }
});
