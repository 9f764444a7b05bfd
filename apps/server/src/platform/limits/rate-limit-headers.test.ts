import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { allowanceOf } from './rate-limiter.ts';

const standard = allowanceOf(1000, 20);

it('an allowed request is told its quota, the burst included, and what is left', () => {
  assert.deepEqual(
    rateLimitHeaders('client', standard, { allowed: true, remaining: 1199, resetSeconds: 60 }),
    {
      'RateLimit-Policy': '"client";q=1200;w=60',
      RateLimit: '"client";r=1199;t=60',
    },
  );
});

it('a refused request is also told when to come back, the same twice', () => {
  assert.deepEqual(rateLimitHeaders('client', standard, { allowed: false, remaining: 0, resetSeconds: 7 }), {
    'RateLimit-Policy': '"client";q=1200;w=60',
    RateLimit: '"client";r=0;t=7',
    'Retry-After': '7',
  });
});
