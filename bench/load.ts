import { connect, type Socket } from 'node:net';

/** What is asked for, over and over. */
export interface Target {
  /** Several are asked for in turn; all of one server. */
  readonly url: string | readonly string[];
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Wherever it holds `NUMBER`, each request has a number of its own. */
  readonly body?: string;
}

/** Stands for nine digits that no other request of this process has. */
export const NUMBER = '#########';

export interface Round {
  readonly answers: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type Extent = { readonly seconds: number } | { readonly requests: number };

const CONNECTIONS = 50;
const HEAD_END = Buffer.from('\r\n\r\n');
const EMPTY = Buffer.alloc(0);
const PATIENCE_MS = 10_000;

/**
 * Asks as fast as the answers come, over 50 connections, one request at a time on each. Anything but a 2xx is no
 * answer, and then there is nothing to compare.
 *
 * Written by hand, because the generator shares the two cores with the server and should cost little. On the same two
 * servers, interleaved, the share of ping came out as 0.56 to 0.57 by this, 0.55 to 0.58 by wrk (which is C) and 0.51
 * to 0.54 by autocannon: expect some 0.03 less there.
 */
export async function load(target: Target, extent: Extent): Promise<Round> {
  const { hostname, port } = new URL(urlsOf(target)[0] as string);
  const run = new Run(target, extent);
  const sockets = Array.from({ length: CONNECTIONS }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  );
  try {
    await Promise.all(sockets.map((socket) => run.drive(socket)));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return run.round();
}

class Run {
  readonly #name: string;
  readonly #nextRequest: () => Buffer;
  readonly #startedAt = performance.now();
  readonly #endsAt: number;
  readonly #latencies: number[] = [];
  #left: number;

  constructor(target: Target, extent: Extent) {
    this.#name = `${target.method ?? 'GET'} ${urlsOf(target)[0]}`;
    this.#nextRequest = requestsOf(target);
    this.#endsAt = 'seconds' in extent ? this.#startedAt + extent.seconds * 1000 : Number.POSITIVE_INFINITY;
    this.#left = 'requests' in extent ? extent.requests : Number.POSITIVE_INFINITY;
  }

  /** Sends one request after another over the connection until the run is over. */
  drive(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let pending: Buffer = EMPTY;
      let sentAt = 0;
      const next = (): void => {
        if (this.#left <= 0 || performance.now() >= this.#endsAt) return void resolve();
        this.#left--;
        sentAt = performance.now();
        socket.write(this.#nextRequest());
      };
      const fail = (reason: string): void =>
        reject(new Error(`${this.#name} did not always answer 2xx: ${reason}`));
      socket.setTimeout(PATIENCE_MS, () => fail('no answer in time'));
      socket.on('error', (error) => fail(error.message));
      socket.on('close', () => fail('the connection was closed'));
      socket.on('connect', next);
      socket.on('data', (chunk: Buffer) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
        const answer = readAnswer(pending);
        if (answer === undefined) return;
        if (!answer.isGood) return fail(pending.toString('latin1', 0, 500));
        this.#latencies.push(performance.now() - sentAt);
        pending = EMPTY;
        next();
      });
    });
  }

  round(): Round {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const sorted = Float64Array.from(this.#latencies).sort();
    const at = (share: number): number =>
      Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
    const requestsPerSecond = Math.round(sorted.length / seconds);
    return { answers: sorted.length, requestsPerSecond, p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}

const urlsOf = ({ url }: Target): readonly string[] => (typeof url === 'string' ? [url] : url);

let lastNumber = 0;

/** Bytes are made beforehand, and a number is written into a copy of them: the generator should cost little. */
function requestsOf(target: Target): () => Buffer {
  const requests = urlsOf(target).map((url) => requestBytes(target, url));
  const places = placesOf(NUMBER, requests[0] as Buffer);
  let turn = 0;
  return () => {
    const request = requests[turn++ % requests.length] as Buffer;
    if (places.length === 0) return request;
    const number = String(++lastNumber).padStart(NUMBER.length, '0');
    const numbered = Buffer.from(request);
    for (const place of places) numbered.write(number, place, 'latin1');
    return numbered;
  };
}

function placesOf(text: string, bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) places.push(at);
  return places;
}

function requestBytes(target: Target, url: string): Buffer {
  const { headers = {}, body = '' } = target;
  const method = target.method ?? 'GET';
  const { host, pathname, search } = new URL(url);
  const all = {
    host,
    ...headers,
    ...(method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${[`${method} ${pathname}${search} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`);
}

/** Undefined until the answer is whole. Our servers all send a Content-Length. */
function readAnswer(bytes: Buffer): { readonly isGood: boolean } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) return { isGood: false };
  if (bytes.length < headEnd + HEAD_END.length + Number(length)) return undefined;
  return { isGood: head.startsWith('HTTP/1.1 2') };
}
