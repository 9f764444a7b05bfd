import pg from 'pg';

interface RolePasswords {
  readonly ownerPassword: string;
  readonly appPassword: string;
}

/** What an administrator does by hand for a database of their own: two roles and a database. Can be repeated. */
export async function createRolesAndDatabase(
  superuserUrl: string,
  passwords: RolePasswords,
  database = 'tenantry',
): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await createRole(client, 'tenantry_owner', 'login createrole', passwords.ownerPassword);
    await createRole(client, 'tenantry_app', 'login noinherit', passwords.appPassword);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0)
      await client.query(`create database ${pg.escapeIdentifier(database)} owner tenantry_owner`);
  } finally {
    await client.end();
  }
}

async function createRole(
  client: pg.Client,
  name: string,
  attributes: string,
  password: string,
): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
  const verb = rowCount === 0 ? 'create' : 'alter';
  await client.query(`${verb} role ${name} ${attributes} password ${pg.escapeLiteral(password)}`);
}
