import { Type } from 'typebox';
import { defineRoute, type Route } from '#platform/http/route.ts';
import { Strict } from '#platform/http/schemas.ts';

export const getAssetsBaseUrlRoute = (baseUrl: string): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/assets/base-url',
    operationId: 'getAssetsBaseUrl',
    summary: 'Where static assets are served from',
    area: 'Platform and health',
    access: 'public',
    response: Strict({ baseUrl: Type.String({ format: 'uri' }) }),
    handle: () => ({ baseUrl: `${baseUrl}/assets` }),
  });
