import type { Module } from '#platform/http/module.ts';
import type { Platform } from '#platform/platform.ts';
import { issueTokenRoute } from './issue-token.ts';

export const tokensModule = (platform: Pick<Platform, 'issuer' | 'limits'>): Module => ({
  name: 'tokens',
  problems: {},
  routes: [issueTokenRoute(platform)],
});
