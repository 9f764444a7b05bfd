import { randomUUID } from 'node:crypto';
import { newId } from '#kernel/ids.ts';
import type { Route } from '#platform/http/route.ts';
import type { Reply, TestClient } from '#test/client.ts';
import type { TestApi } from '#test/harness.ts';
import { asSuperuser } from '#test/template.ts';
import { factories, type Tenant } from './factories.ts';
import { pathIds } from './path-tables.ts';

const named = (route: Route): string => `${route.method} ${route.path}`;

export const fill = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? newId());

/** The same operation under its other address. */
const underV1 = (path: string): string => `/api/v1${path.replace(/^\/api(?=\/)/, '')}`;

export const call = (
  client: TestClient,
  route: Route,
  path: string,
  headers: Record<string, string> = {},
): Promise<Reply> => client.send(route.method, path, route.example, { headers });

const slugOf = (reply: Reply): string | undefined => reply.body?.type?.split('/').at(-1);

const told = (reply: Reply): string => `${reply.text}\n${JSON.stringify([...reply.headers])}`;

const leaks = (reply: Reply, marks: readonly string[]): boolean =>
  marks.some((mark) => told(reply).includes(mark));

/** One row of the victim for every id in the path. */
export async function makeIds(
  route: Route,
  tenant: Tenant,
): Promise<{ ids: Record<string, string>; marks: string[] }> {
  const ids: Record<string, string> = {};
  const marks: string[] = [];
  for (const { parameter, table } of pathIds(route)) {
    const factory = factories[table];
    if (factory === undefined)
      throw new Error(`${named(route)}: test/tenancy/factories.ts has no factory for ${table}`);
    const made = await factory(tenant);
    ids[parameter] = made.id;
    marks.push(...made.marks);
  }
  return { ids, marks };
}

/** Everything of the rows named by a path, as it is in the database. */
function rowsOf(api: TestApi, route: Route, ids: Readonly<Record<string, string>>): Promise<string> {
  return asSuperuser(
    api.cluster,
    async (client) => {
      const found: unknown[] = [];
      for (const { parameter, table } of pathIds(route)) {
        found.push((await client.query(`select * from ${table} where id = $1`, [ids[parameter]])).rows);
      }
      return JSON.stringify(found);
    },
    api.databaseName,
  );
}

/** What a rival gets to see or do that it must not, by one route with ids in its path. */
export async function idFaults(api: TestApi, route: Route, victim: Tenant, rival: Tenant): Promise<string[]> {
  const faults: string[] = [];
  const expect = (what: string, reply: Reply, status: number, slug: string): void => {
    if (reply.status === status && slugOf(reply) === slug) return;
    faults.push(`${named(route)}: ${what} answers ${reply.status} ${reply.text}, not ${status} ${slug}`);
  };
  const { ids, marks } = await makeIds(route, victim);
  const before = await rowsOf(api, route, ids);
  const [foreign, unknown] =
    route.access === 'operator' ? (['permission-denied', 403] as const) : (['other-tenant', 404] as const);
  for (const path of [fill(route.path, ids), underV1(fill(route.path, ids))]) {
    const reply = await call(rival.client, route, path);
    expect("another's", reply, 403, foreign);
    if (leaks(reply, marks)) faults.push(`${named(route)}: a rival is told ${told(reply)}`);
    expect(
      "another's, with If-Match",
      await call(rival.client, route, path, { 'if-match': '"1"' }),
      403,
      foreign,
    );
  }
  if ((await rowsOf(api, route, ids)) !== before) faults.push(`${named(route)}: a rival has changed the row`);

  for (const id of [
    newId(),
    randomUUID(),
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ]) {
    const path = fill(route.path, Object.fromEntries(Object.keys(ids).map((name) => [name, id])));
    expect(
      `unknown ${id}`,
      await call(rival.client, route, path),
      unknown,
      unknown === 404 ? 'not-found' : foreign,
    );
  }
  const owner = route.access === 'operator' ? await api.operator() : victim.client;
  const own = await call(owner, route, fill(route.path, ids));
  if (own.status >= 300) faults.push(`${named(route)}: its owner is told ${own.status} ${own.text}`);
  return faults;
}

const isList = (route: Route): boolean =>
  route.method === 'GET' &&
  route.access !== 'operator' &&
  'items' in ((route.response as { properties?: object } | undefined)?.properties ?? {});

/** Lists in which the rival finds something of the victim's. */
export async function listFaults(api: TestApi, victim: Tenant, rival: Tenant): Promise<string[]> {
  const hidden: string[] = [];
  for (const factory of Object.values(factories)) {
    const { id, marks } = await factory(victim);
    hidden.push(id, ...marks);
  }
  const faults: string[] = [];
  for (const route of api.routes.filter((each) => isList(each) && pathIds(each).length === 0)) {
    const taken = (route.query as { properties?: object } | undefined)?.properties ?? {};
    const searches = [
      'pageSize' in taken ? '?pageSize=100' : '',
      ...('q' in taken ? hidden.map((mark) => `?q=${encodeURIComponent(mark)}`) : []),
    ];
    for (const search of searches) {
      const reply = await rival.client.get(route.path + search);
      if (reply.status !== 200) faults.push(`${named(route)}${search}: ${reply.status} ${reply.text}`);
      if (leaks(reply, hidden)) faults.push(`${named(route)}${search}: a rival sees ${reply.text}`);
      if (search.startsWith('?q') && reply.body.totalCount !== 0)
        faults.push(`${named(route)}${search}: counts another's rows`);
    }
  }
  return faults;
}
