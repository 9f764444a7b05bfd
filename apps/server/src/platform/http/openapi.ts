import { IsOptional, type TSchema } from 'typebox';
import { JSON_TYPE } from './negotiation.ts';
import { responsesOf } from './openapi-responses.ts';
import { type Json, SchemaComponents, typeName } from './openapi-schemas.ts';
import { accessLabel, type Route } from './route.ts';

interface About {
  readonly version: string;
  readonly description: string;
}

/** The whole API as OpenAPI 3.1, made from the route table. */
export function openApiDocument(routes: readonly Route[], about: About): Json {
  const paths: Record<string, Json> = {};
  const components = new SchemaComponents({ Problem: PROBLEM_SCHEMA });
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, components),
    };
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
    components: { schemas: components.schemas, securitySchemes: SECURITY_SCHEMES },
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

function operationOf(route: Route, components: SchemaComponents): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, `Access: \`${accessLabel(route)}\`.`].filter(Boolean).join('\n\n'),
    tags: [route.area],
    ...(route.access === 'public' ? { security: [] } : { security: [{ oauth2: ['api'] }] }),
    ...(route.permission === undefined ? {} : { 'x-permission': route.permission }),
    ...parametersOf(route, components),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !IsOptional(route.body),
            content: {
              [route.consumes ?? JSON_TYPE]: {
                schema: components.named(route.body, `${typeName(route)}Request`),
                ...exampleOf(route),
              },
            },
          },
        }),
    responses: responsesOf(route, components),
  };
}

const exampleOf = (route: Route): Json => (route.example === undefined ? {} : { example: route.example });

function parametersOf(route: Route, components: SchemaComponents): Json {
  const list = [
    ...fieldsOf(route.params).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      ...parts(schema, components),
    })),
    ...fieldsOf(route.query).map(([name, schema, required]) => ({
      name,
      in: 'query',
      required,
      ...parts(schema, components),
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

function parts(schema: TSchema, components: SchemaComponents): Json {
  const { description, ...rest } = components.plain(schema);
  return { ...(description === undefined ? {} : { description }), schema: rest };
}

function fieldsOf(schema: TSchema | undefined): [string, TSchema, boolean][] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)]);
}
