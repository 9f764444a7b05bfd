import type { Topic } from './announcements.ts';
import type { AuditEntry } from './audit.ts';
import type { ResultSet, Statement } from './group-query.ts';
import type { News } from './news.ts';
import { type AnyQuery, type Batch, batchOver, ready } from './query.ts';

/** What every transaction can be asked, be it of one tenant or across all. */
export interface Tx {
  rows<Row>(query: AnyQuery<Row>): Promise<Row[]>;
  first<Row>(query: AnyQuery<Row>): Promise<Row | undefined>;
  /** Runs a statement for its effect and tells how many rows it touched. */
  write(query: AnyQuery<unknown>): Promise<number>;
  /** Several statements in one round trip, in this order; the rows of each. */
  batch: Batch;
  /** A statement whose result nobody needs: it goes out with whatever is asked next, or with the commit. */
  later(query: AnyQuery<unknown>): void;
  /** Leaves a trace of the change in the audit log. */
  audit(entry: AuditEntry): void;
  /** A statement that goes out with the commit, in the same write; what it touches needs no audit entry. */
  atCommit(query: AnyQuery<unknown>): void;
  /** Tells every node, this one before the caller is answered, that what it may have cached has changed. */
  announce(topic: Topic, payload: string): void;
}

/** What the work of a transaction leaves to be done with its commit. */
export interface Leavings {
  readonly entries: AuditEntry[];
  readonly last: Statement[];
  readonly news: News;
}

export const nothingLeft = (news: News): Leavings => ({ entries: [], last: [], news });

export interface Asked {
  run(statements: readonly Statement[]): Promise<ResultSet[]>;
  queue(statement: Statement): void;
}

export function txOf({ run, queue }: Asked, { entries, last, news }: Leavings): Tx {
  const rows = async <Row>(query: AnyQuery<Row>): Promise<Row[]> =>
    (await run([ready(query)]))[0]?.rows as Row[];
  return {
    rows,
    first: async (query) => (await rows(query))[0],
    write: async (query) => (await run([ready(query)]))[0]?.written ?? 0,
    batch: batchOver(run),
    later: (query) => queue(ready(query)),
    audit: (entry) => void entries.push(entry),
    atCommit: (query) => void last.push(ready(query)),
    announce: (topic, payload) => news.add(topic, payload),
  };
}
