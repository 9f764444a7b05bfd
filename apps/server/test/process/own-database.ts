import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { atEnd } from '#platform/postgres/cluster.fixture.ts';
import { testCluster } from '#test/harness.ts';
import { asSuperuser, databaseUrl } from '#test/template.ts';

export interface OwnDatabase {
  readonly name: string;
  readonly appUrl: string;
  readonly ownerUrl: string;
  readonly superuserUrl: string;
}

/** What an administrator would make by hand: an empty database that tenantry_owner owns, dropped after the test. */
export async function makeOwnDatabase(test: TestContext): Promise<OwnDatabase> {
  const cluster = testCluster();
  const name = `own_${randomBytes(6).toString('hex')}`;
  await asSuperuser(cluster, (client) => client.query(`create database ${name} owner tenantry_owner`));
  atEnd(test, () => asSuperuser(cluster, (client) => client.query(`drop database ${name} with (force)`)));
  const on = (url: string): string => databaseUrl(url, name);
  return {
    name,
    appUrl: on(cluster.appUrl),
    ownerUrl: on(cluster.ownerUrl),
    superuserUrl: on(cluster.superuserUrl),
  };
}
