import type { Route } from '#platform/http/route.ts';

/** The path parameters of a route that name a row, each with its table. */
export function pathIds(route: Route): { readonly parameter: string; readonly table: string }[] {
  const { properties = {} } = (route.params ?? {}) as { properties?: Record<string, { 'x-table'?: string }> };
  return Object.entries(properties).flatMap(([parameter, schema]) =>
    schema['x-table'] === undefined ? [] : [{ parameter, table: schema['x-table'] }],
  );
}

export const pathTables = (routes: readonly Route[]): string[] => [
  ...new Set(routes.flatMap(pathIds).map(({ table }) => table)),
];
