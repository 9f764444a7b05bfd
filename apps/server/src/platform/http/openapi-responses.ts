import { statusOf } from './carry-out.ts';
import { JSON_TYPE } from './negotiation.ts';
import { type Json, type SchemaComponents, typeName } from './openapi-schemas.ts';
import type { Route } from './route.ts';
import { problemsOf } from './route-problems.ts';

interface Response {
  readonly status: number;
  readonly description: string;
  readonly headers?: Json;
  readonly content?: Json;
}

/** By status, in order; where there are several of one status, the type of the content tells them apart. */
export function responsesOf(route: Route, components: SchemaComponents): Json {
  const all = [success(route, components), ...others(route, components), ...failures(route)];
  const byStatus: Record<string, Omit<Response, 'status'>> = {};
  for (const { status, ...response } of all) {
    const other = byStatus[status];
    byStatus[status] =
      other === undefined
        ? response
        : {
            ...other,
            description: `${other.description}; ${response.description}`,
            content: { ...other.content, ...response.content },
          };
  }
  return byStatus; // a key that is a number stands in its order by itself
}

function success(route: Route, components: SchemaComponents): Response {
  const status = statusOf(route);
  const headers = {
    ...(route.creates === undefined ? {} : { Location: headerOf('Where the new resource is.') }),
    ...(route.version === undefined ? {} : { ETag: headerOf('The version of the resource, for If-Match.') }),
  };
  const types = route.produces ?? [JSON_TYPE];
  const hasBody = route.response !== undefined || route.produces !== undefined;
  const content = Object.fromEntries(
    types.map((type) => {
      const schema = type.includes('json') ? route.response : undefined;
      const name = `${typeName(route)}Response`;
      return [type, { schema: schema === undefined ? { type: 'string' } : components.named(schema, name) }];
    }),
  );
  return {
    status,
    description: status === 201 ? 'Created' : status === 204 ? 'Done; there is nothing to say' : 'OK',
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(hasBody ? { content } : {}),
  };
}

const others = (route: Route, components: SchemaComponents): Response[] =>
  Object.entries(route.otherAnswers ?? {}).map(([status, { description, schema }]) => ({
    status: Number(status),
    description,
    content: { [JSON_TYPE]: { schema: components.plain(schema) } },
  }));

const headerOf = (description: string): Json => ({ description, schema: { type: 'string' } });

const PROBLEM_CONTENT = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};

function failures(route: Route): Response[] {
  const byStatus = Map.groupBy(problemsOf(route), (kind) => kind.status);
  return [...byStatus].map(([status, kinds]) => ({
    status,
    description: kinds.map(({ slug }) => `[${slug}](/problems/${slug})`).join(', '),
    content: PROBLEM_CONTENT,
  }));
}
