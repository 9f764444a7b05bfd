import { once } from 'node:events';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { asUnavailable } from './connection.ts';
import { CopyStream } from './copy-stream.ts';
import type { Statement } from './group-query.ts';
import { POOL_OPTIONS } from './planner.ts';
import { wireValue } from './wire-value.ts';

/** `csv`: with a header of the column names. `lines`: one column, whose text is a line as it stands. */
export type CopyForm = 'csv' | 'lines';

/** JSON escapes control characters, so a line of it never holds these and is never quoted. */
const FORMS: Readonly<Record<CopyForm, string>> = {
  csv: '(format csv, header)',
  lines: `(format csv, quote e'\\x01', delimiter e'\\x02')`,
};

/** How many results may be copied out at once by this process, and by one tenant of it. */
const COPIES_MAX = 6;
const COPIES_OF_TENANT_MAX = 2;
const LONGEST_MS = 15 * 60_000;

/** The tenant, or the node, has as many exports under way as it may. */
export class TooManyCopies extends Error {
  override name = 'TooManyCopies';
}

/**
 * Whole results by `COPY … TO STDOUT`: the database makes the text and the process passes it on as fast as the reader
 * takes it, so memory stays flat however many rows there are. On connections of its own, since a slow reader keeps one
 * for as long as it reads. Why so is told in ADR 0018.
 */
export class CopyOuts {
  readonly #url: string;
  readonly #underWay = new Map<pg.Client, string>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves when the first bytes are there, so that what fails at once can still be answered as a failure. */
  async start(tenantId: string, opening: Statement, query: Statement, form: CopyForm): Promise<Readable> {
    const client = this.#open(tenantId);
    try {
      await client.connect();
      await client.query('begin read only');
      await client.query(opening.text, [...opening.values]);
      await setArguments(client, query.values);
      const stream = client.query(
        new CopyStream(`copy (${withSettings(query.text)}) to stdout with ${FORMS[form]}`),
      );
      stream.once('close', () => this.#close(client)); // also when the reader went away before the end
      stream.on('error', () => {}); // whoever reads it is told; that nobody does any more is no reason to fall over
      await once(stream, 'readable');
      return stream;
    } catch (error) {
      this.#close(client);
      throw asUnavailable(error as Error);
    }
  }

  async close(): Promise<void> {
    for (const client of this.#underWay.keys()) this.#close(client);
  }

  #open(tenantId: string): pg.Client {
    const all = [...this.#underWay.values()];
    if (all.length >= COPIES_MAX || all.filter((id) => id === tenantId).length >= COPIES_OF_TENANT_MAX)
      throw new TooManyCopies('as many results as may be are being copied out already');
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 5_000,
      statement_timeout: LONGEST_MS,
      application_name: 'tenantry export',
      options: POOL_OPTIONS,
    });
    client.on('error', () => this.#close(client)); // the stream tells its reader by itself
    this.#underWay.set(client, tenantId);
    return client;
  }

  /** Ends the connection and, with it, whatever is still running there. */
  #close(client: pg.Client): void {
    this.#underWay.delete(client);
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** COPY takes no parameters. Their values go ahead as settings of the transaction, so none becomes part of the text. */
async function setArguments(client: pg.Client, values: readonly unknown[]): Promise<void> {
  if (values.length === 0) return;
  const calls = values.map((_, i) => `set_config('copy.argument${i + 1}', $${i + 1}, true)`);
  await client.query(`select ${calls.join(', ')}`, values.map(wireValue));
}

const withSettings = (text: string): string =>
  text.replace(/\$(\d+)/g, (_, number: string) => `current_setting('copy.argument${number}')`);
