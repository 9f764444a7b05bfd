import { LIVENESS_PATH } from '#platform/http/overload.ts';
import { defineRoute } from '#platform/http/route.ts';
import { OneOf, Strict } from '#platform/http/schemas.ts';

export const getPingRoute = defineRoute({
  method: 'GET',
  path: LIVENESS_PATH,
  operationId: 'getPing',
  summary: 'Liveness: the process answers',
  area: 'Platform and health',
  access: 'public',
  response: Strict({ status: OneOf(['pass'] as const) }),
  handle: () => ({ status: 'pass' as const }),
});
