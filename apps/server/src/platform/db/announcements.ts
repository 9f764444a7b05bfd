import pg from 'pg';

export type Topic = 'access' | 'signingKeys';

/** `undefined`: anything may have changed, because announcements may have been missed. */
type Subscriber = (payload: string | undefined) => void;

const CHANNEL = 'tenantry';
const HEARTBEAT_MS = 200;
const SILENCE_MS_MAX = 600;
const RECONNECT_MS = 250;

/**
 * How one node tells the others that something they may have cached has changed. The change is announced in its own
 * transaction (NOTIFY), so it is heard if and only if it was committed. While the connection is lost `isListening` is
 * false and caches must not be used; a silent connection counts as lost, so a revocation is never late by more than
 * a second.
 */
export class Announcements {
  readonly #url: string;
  readonly #subscribers = new Map<Topic, Set<Subscriber>>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  isListening = false;

  constructor(url: string) {
    this.#url = url;
  }

  subscribe(topic: Topic, subscriber: Subscriber): void {
    const all = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, all.add(subscriber));
  }

  /** Tells this node's own caches at once; the others hear it from the database. */
  tell(topic: Topic, payload: string | undefined): void {
    for (const subscriber of this.#subscribers.get(topic) ?? []) subscriber(payload);
  }

  static statement(topic: Topic, payload: string): { text: string; values: string[]; name: string } {
    return { text: 'select pg_notify($1, $2)', values: [CHANNEL, `${topic}:${payload}`], name: 'notify' };
  }

  /** Resolves when the first connection listens; keeps itself connected from then on. */
  async listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: 3_000,
      application_name: 'tenantry announcements',
    });
    this.#client = client;
    client.on('notification', ({ payload = '' }) => {
      const colon = payload.indexOf(':');
      this.tell(payload.slice(0, colon) as Topic, payload.slice(colon + 1));
    });
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    if (this.#closed || client !== this.#client) return client.end(); // closed or lost meanwhile
    for (const topic of this.#subscribers.keys()) this.tell(topic, undefined);
    this.isListening = true;
    this.#beat(client);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.isListening = false;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  /** The answer to a heartbeat comes behind every notification sent before it. */
  #beat(client: pg.Client): void {
    if (this.#closed || client !== this.#client) return;
    const silence = setTimeout(() => this.#lose(client), SILENCE_MS_MAX);
    client
      .query('select 1')
      .then(() => {
        clearTimeout(silence);
        this.#timer = setTimeout(() => this.#beat(client), HEARTBEAT_MS);
      })
      .catch(() => {
        clearTimeout(silence);
        this.#lose(client); // a heartbeat that was cancelled tells nothing, and the next would never come
      });
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.isListening = false;
    clearTimeout(this.#timer);
    client.end().catch(() => {});
    for (const topic of this.#subscribers.keys()) this.tell(topic, undefined);
    this.#reconnect();
  }

  #reconnect(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer); // a connection lost while it is made is reported twice
    this.#timer = setTimeout(() => {
      if (this.#closed) return;
      this.listen().catch(() => {
        this.#client?.end().catch(() => {});
        this.#client = undefined;
        this.#reconnect();
      });
    }, RECONNECT_MS);
  }
}
