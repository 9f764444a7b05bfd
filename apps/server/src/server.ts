import type { FastifyInstance } from 'fastify';
import { createApp } from '#platform/http/app.ts';
import { commonProblems } from '#platform/http/common.problems.ts';
import { mountIssuer } from '#platform/http/issuer-pages.ts';
import { mountRoutes } from '#platform/http/mount.ts';
import { openApiDocument } from '#platform/http/openapi.ts';
import { mountPages } from '#platform/http/pages.ts';
import type { ProblemKind } from '#platform/http/problem.ts';
import type { Route } from '#platform/http/route.ts';
import type { Platform } from '#platform/platform.ts';
import { programVersion } from '#platform/program.ts';
import { allModules } from './modules.ts';

export interface Api {
  readonly routes: readonly Route[];
  readonly problems: readonly ProblemKind[];
  readonly openApi: object;
}

/** The API as a table and its documents, before anything listens. */
export function describeApi(platform: Platform): Api {
  const modules = allModules(platform);
  const routes = modules.flatMap((module) => module.routes);
  const problems = [commonProblems, ...modules.map((module) => module.problems)].flatMap((kinds) =>
    Object.values(kinds),
  );
  const openApi = openApiDocument(routes, { version: programVersion, description: DESCRIPTION });
  return { routes, problems, openApi };
}

export async function createServer(platform: Platform): Promise<FastifyInstance> {
  const api = describeApi(platform);
  const app = await createApp(platform);
  mountRoutes(app, api.routes, platform);
  mountIssuer(app, platform.issuer);
  mountPages(app, api.openApi, api.problems);
  return app;
}

const DESCRIPTION = `A multi-tenant business platform behind one API.

**Start**: fetch a token from \`POST /connect/token\` with your client id and secret, and send it as \`Authorization: Bearer <token>\`.

- Every operation is also served under \`/api/v1/\`.
- Failures are \`application/problem+json\` (RFC 9457); each \`type\` is the address of a page that explains it.
- Lists take \`page\`, \`pageSize\`, \`sortBy\`, \`sortDir\` and answer \`items\`, \`totalCount\`, \`nextCursor\`.
- Any POST may carry an \`Idempotency-Key\`; sent again, it has one effect and the same answer.
- Single resources carry an \`ETag\`; PUT and DELETE honour \`If-Match\`.
- Times are ISO 8601 in UTC, amounts decimal strings, ids UUIDs.`;
