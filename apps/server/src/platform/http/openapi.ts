import { IsOptional, type TSchema } from 'typebox';
import { statusOf } from './carry-out.ts';
import { commonProblems } from './common.problems.ts';
import type { ProblemKind } from './problem.ts';
import { accessLabel, type Route } from './route.ts';

interface About {
  readonly version: string;
  readonly description: string;
}

type Json = Record<string, unknown>;

/** The whole API as OpenAPI 3.1, made from the route table. */
export function openApiDocument(routes: readonly Route[], about: About): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tenantry',
      version: about.version,
      description: about.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service. Every path is also served under /api/v1/.' }],
    tags: [...new Set(routes.map((route) => route.area))].map((name) => ({ name })),
    paths,
    components: { schemas: { Problem: PROBLEM_SCHEMA }, securitySchemes: SECURITY_SCHEMES },
  };
}

const SECURITY_SCHEMES = {
  oauth2: {
    type: 'oauth2',
    flows: {
      clientCredentials: {
        tokenUrl: '/connect/token',
        scopes: { api: 'The whole API, within the permissions of the client' },
      },
    },
  },
};

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'instance', 'traceId'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'A page that explains this kind of problem.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'Explains this very case and names the offending thing.' },
    instance: { type: 'string', description: 'The path of the request.' },
    traceId: { type: 'string' },
    errors: {
      type: 'object',
      description: 'From JSON pointer to messages, where input is at fault.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
};

function operationOf(route: Route): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, `Access: \`${accessLabel(route)}\`.`].filter(Boolean).join('\n\n'),
    tags: [route.area],
    ...(route.access === 'public' ? { security: [] } : { security: [{ oauth2: ['api'] }] }),
    ...parametersOf(route),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !IsOptional(route.body),
            content: {
              [route.consumes ?? 'application/json']: { schema: schemaOf(route.body), ...exampleOf(route) },
            },
          },
        }),
    responses: { ...success(route), ...failures(route) },
  };
}

const exampleOf = (route: Route): Json => (route.example === undefined ? {} : { example: route.example });

function parametersOf(route: Route): Json {
  const list = [
    ...fieldsOf(route.params).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      ...parts(schema),
    })),
    ...fieldsOf(route.query).map(([name, schema, required]) => ({
      name,
      in: 'query',
      required,
      ...parts(schema),
    })),
    ...headersOf(route),
  ];
  return list.length === 0 ? {} : { parameters: list };
}

function headersOf(route: Route): Json[] {
  const headers: Json[] = [];
  if (route.method === 'POST' && route.access !== 'public') {
    headers.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes it safe to send the request again: it is carried out once, and the answer is repeated for 24 hours.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    });
  }
  if ((route.method === 'PUT' || route.method === 'DELETE') && route.params !== undefined) {
    headers.push({
      name: 'If-Match',
      in: 'header',
      required: false,
      description: 'The ETag that the change is based on; 412 when the resource has changed since.',
      schema: { type: 'string' },
    });
  }
  return headers;
}

function fieldsOf(schema: TSchema | undefined): [string, TSchema, boolean][] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)]);
}

function parts(schema: TSchema): Json {
  const { description, ...rest } = schemaOf(schema);
  return { ...(description === undefined ? {} : { description }), schema: rest };
}

/** Without what only our own tools read. */
function schemaOf(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'x-table' ? undefined : value))) as Json;
}

function success(route: Route): Json {
  const status = String(statusOf(route));
  const headers = {
    ...(route.creates === undefined ? {} : { Location: headerOf('Where the new resource is.') }),
    ...(route.version === undefined ? {} : { ETag: headerOf('The version of the resource, for If-Match.') }),
  };
  const types = route.produces ?? ['application/json'];
  const hasBody = route.response !== undefined || route.produces !== undefined;
  const content = Object.fromEntries(
    types.map((type) => {
      const isJson = type.includes('json') && route.response !== undefined;
      return [type, { schema: isJson ? schemaOf(route.response as TSchema) : { type: 'string' } }];
    }),
  );
  return {
    [status]: {
      description: status === '201' ? 'Created' : status === '204' ? 'Done; there is nothing to say' : 'OK',
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(hasBody ? { content } : {}),
    },
  };
}

const headerOf = (description: string): Json => ({ description, schema: { type: 'string' } });

function failures(route: Route): Json {
  const byStatus = Map.groupBy(problemsOf(route), (kind) => String(kind.status));
  const sorted = [...byStatus].sort(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(
    sorted.map(([status, kinds]) => [
      status,
      {
        description: kinds.map(({ slug }) => `[${slug}](/problems/${slug})`).join(', '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

/** Its own problems and those that its shape brings with it. */
export function problemsOf(route: Route): ProblemKind[] {
  const common = commonProblems;
  const kinds: ProblemKind[] = [...(route.problems ?? []), common['internal-error'], common.overloaded];
  if (route.access !== 'public') {
    kinds.push(common.unauthenticated, common['invalid-token'], common['insufficient-scope']);
    kinds.push(
      common['permission-denied'],
      common['tenant-suspended'],
      common['database-unavailable'],
      common['rate-limited'],
    );
    if (route.method === 'POST')
      kinds.push(common['idempotency-in-progress'], common['idempotency-key-reused']);
  } else if (route.method !== 'GET') kinds.push(common['rate-limited']);
  if (route.params !== undefined || route.query !== undefined || route.body !== undefined)
    kinds.push(common['invalid-request']);
  if (route.body !== undefined) kinds.push(common['payload-too-large'], common['unsupported-media-type']);
  if (route.params !== undefined && JSON.stringify(route.params).includes('x-table')) {
    kinds.push(common['not-found'], common['other-tenant']);
    if (route.method === 'PUT' || route.method === 'DELETE') kinds.push(common['precondition-failed']);
  }
  return [...new Set(kinds)];
}
