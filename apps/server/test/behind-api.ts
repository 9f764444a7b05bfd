import type { TestClient } from './client.ts';
import type { TestApi } from './harness.ts';
import { asSuperuser } from './template.ts';

/** Well formed, and nobody's. */
export const UNKNOWN_ID = '0190a000-0000-7000-8000-000000000000';

/** What the database holds, seen past row security. */
export function behindApi(api: TestApi) {
  const sql = (text: string, values: unknown[] = []) =>
    asSuperuser(api.cluster, async (client) => (await client.query(text, values)).rows, api.databaseName);
  return {
    sql,
    /** The events of a resource in their order. */
    eventsOf: (id: string) =>
      sql('select type, data from outbox_event where resource_id = $1 order by number', [id]),
    auditOf: async (id: string): Promise<string[]> =>
      (await sql('select action from audit_log where resource_id = $1 order by at, id', [id])).map(
        ({ action }) => action,
      ),
  };
}

/** A client of the workspace whose only role holds these permissions. */
export async function clientWith(
  api: TestApi,
  tenant: { readonly id: string; readonly client: TestClient },
  permissions: readonly string[],
): Promise<TestClient> {
  const [role] = await behindApi(api).sql(
    `insert into role (tenant_id, id, name, permissions, created_at, updated_at)
     values ($1, gen_random_uuid(), gen_random_uuid()::text, $2, now(), now()) returning id`,
    [tenant.id, permissions],
  );
  const { body } = await tenant.client.post('/api/settings/api-clients', {
    name: 'Limited',
    roles: [role.id],
  });
  return api.signIn(body.clientId, body.clientSecret);
}

/** Waits until it holds; for what happens by itself and soon, such as the end of a connection. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
