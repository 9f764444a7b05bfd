import { type RawBuilder, sql } from 'kysely';
import type { Statement } from './group-query.ts';
import { preparedSql } from './query.ts';

/**
 * How many rows of a kind a tenant has, so that a list need not count them. Each connection adds to a slot of its own:
 * one row for all was a lock that every insert waited for (ADR 0019).
 */
const SLOTS = 16;

const add = preparedSql(
  `insert into kept_count (name, slot, count) values ($1, pg_backend_pid() % ${SLOTS}, $2)
   on conflict (tenant_id, name, slot) do update set count = kept_count.count + excluded.count`,
);

/** Goes out last before the commit: from here on the slot is locked. */
export const countChange = (name: string, by: number): Statement => add(name, by);

/** The sum of the slots, to be read within another query: a count and a page are then of the same moment. */
export const keptCount = (name: string): RawBuilder<bigint> =>
  sql`(select coalesce(sum(count), 0)::bigint from kept_count where name = ${name})`;
