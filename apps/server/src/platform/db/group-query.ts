import pg from 'pg';
import { type RowShape, rowShape } from './row-shape.ts';
import { wireValue } from './wire-value.ts';

/** One SQL statement with its values. With a name it is prepared once per connection and described once. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name?: string;
}

export interface ResultSet {
  rows: Record<string, unknown>[];
  /** Rows that an insert, update, delete or merge touched; 0 for anything else. */
  written: number;
}

/** The part of pg's wire connection that a group speaks to. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void; destroy(error: Error): void };
  parse(message: { text: string; name: string }): void;
  bind(message: { portal: string; statement: string; values: readonly unknown[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal: string }): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
}

/** `uncertain`: an error fell into the group that parsed it, so it may or may not exist on the server. */
type Prepared = { state: 'sent' | 'uncertain'; shape?: RowShape | null };

/** The protocol counts the values of a statement in 16 bits; one more would garble everything sent after it. */
const VALUES_MAX = 65_535;

const preparedOn = new WeakMap<Wire, Map<string, Prepared>>();

const WRITES = /^(?:INSERT|UPDATE|DELETE|MERGE) (?:\d+ )?(\d+)$/;

/**
 * Several statements sent as one protocol group: all in one write, one Sync at the end. When one fails, the server
 * skips the rest up to the Sync. That is what makes it safe to set the tenant in the first statement and read in the
 * second: two separate queries would have a Sync between them, and the second would run even if the first had failed.
 *
 * It extends pg's Query because a pipelining pg client refuses any other submittable.
 */
export class GroupQuery extends pg.Query {
  readonly #statements: readonly Statement[];
  readonly #done: (error: Error | null, results: ResultSet[]) => void;
  readonly #results: ResultSet[] = [];
  #current: ResultSet = { rows: [], written: 0 };
  #shape: RowShape | null = null;
  /**
   * What each statement was sent with. Not looked up again when the answer comes: a later group may by then have
   * prepared the statement anew, and that one's columns may be others.
   */
  readonly #entries: (Prepared | undefined)[] = [];
  #failure: Error | undefined;

  constructor(statements: readonly Statement[], done: (error: Error | null, results: ResultSet[]) => void) {
    super('');
    // Values are turned into their wire form here, where a bad one throws before anything is queued. Thrown while
    // sending, it would leave half a group on the wire, and every later answer would go to the wrong query.
    this.#statements = statements.map((statement) => {
      if (statement.values.length > VALUES_MAX)
        throw new Error(`a statement takes at most ${VALUES_MAX} values`);
      return { ...statement, values: statement.values.map(wireValue) };
    });
    this.#done = done;
  }

  // pg declares submit as a property; the client only ever calls it.
  override submit = (connection: unknown): null => {
    const wire = connection as Wire;
    let prepared = preparedOn.get(wire);
    if (prepared === undefined) {
      prepared = new Map();
      preparedOn.set(wire, prepared);
    }
    wire.stream.cork();
    try {
      for (const statement of this.#statements) this.#entries.push(send(wire, statement, prepared));
      wire.sync();
    } catch (error) {
      wire.stream.destroy(error as Error); // half a group is on the wire: no later answer could be trusted
      throw error;
    } finally {
      wire.stream.uncork();
    }
    this.#enter();
    return null;
  };

  #entry(): Prepared | undefined {
    return this.#entries[this.#results.length];
  }

  /** Called before the answer to the next statement arrives: a prepared one has told its columns already. */
  #enter(): void {
    this.#shape = this.#entry()?.shape ?? null;
  }

  handleRowDescription(message: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#shape = rowShape(message.fields);
    const entry = this.#entry();
    if (entry !== undefined) entry.shape = this.#shape;
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    if (this.#shape === null) this.#enter(); // described by a group that was still under way when this one was sent
    if (this.#shape !== null) this.#current.rows.push(this.#shape.read(message.fields));
    else this.#failure ??= new Error('rows arrived before their description');
  }

  handleCommandComplete(message: { text: string }): void {
    const entry = this.#entry();
    if (entry !== undefined && entry.shape === undefined) entry.shape = null; // described, and it returns no rows
    const tag = WRITES.exec(message.text);
    if (tag !== null) this.#current.written = Number(tag[1]);
    this.#results.push(this.#current);
    this.#current = { rows: [], written: 0 };
    this.#enter();
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handlePortalSuspended(): void {
    this.#failure ??= new Error('a portal was suspended, though no row limit was asked for');
  }

  handleCopyInResponse(wire: { sendCopyFail(reason: string): void }): void {
    wire.sendCopyFail('COPY FROM is not used here');
  }

  handleCopyData(): void {
    this.#failure ??= new Error('COPY TO is not used here');
  }

  handleError(error: Error): void {
    for (const entry of this.#entries) if (entry !== undefined) entry.state = 'uncertain';
    this.#done(error, []);
  }

  handleReadyForQuery(): void {
    if (this.#failure !== undefined) this.handleError(this.#failure);
    else this.#done(null, this.#results);
  }
}

function send(wire: Wire, statement: Statement, prepared: Map<string, Prepared>): Prepared | undefined {
  const name = statement.name ?? '';
  let entry = name === '' ? undefined : prepared.get(name);
  if (entry?.state !== 'sent') {
    if (entry !== undefined) wire.close({ type: 'S', name }); // closing what does not exist is no error
    wire.parse({ text: statement.text, name });
    entry = name === '' ? undefined : { state: 'sent' };
    if (entry !== undefined) prepared.set(name, entry);
  }
  wire.bind({ portal: '', statement: name, values: statement.values });
  if (entry?.shape === undefined) wire.describe({ type: 'P', name: '' });
  wire.execute({ portal: '' });
  return entry;
}
