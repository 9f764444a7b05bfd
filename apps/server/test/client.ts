export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects of an answer
  readonly body: any;
  readonly text: string;
}

interface Extras {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Speaks HTTP to the server under test, as whoever its token says. */
export class TestClient {
  readonly #origin: string;
  readonly #token: string | undefined;

  constructor(origin: string, token?: string) {
    this.#origin = origin;
    this.#token = token;
  }

  get = (path: string, extras?: Extras): Promise<Reply> => this.send('GET', path, undefined, extras);
  post = (path: string, body?: unknown, extras?: Extras): Promise<Reply> =>
    this.send('POST', path, body, extras);
  put = (path: string, body?: unknown, extras?: Extras): Promise<Reply> =>
    this.send('PUT', path, body, extras);
  delete = (path: string, extras?: Extras): Promise<Reply> => this.send('DELETE', path, undefined, extras);

  /** A string or bytes go out as they are; anything else as JSON. */
  async send(method: string, path: string, body?: unknown, { headers = {} }: Extras = {}): Promise<Reply> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(this.#origin + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: (isRaw ? body : JSON.stringify(body)) as RequestInit['body'] & {} }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : undefined,
      text,
    };
  }
}

/** Fetches a token the way every client does. */
export async function fetchToken(
  origin: string,
  clientId: string,
  clientSecret: string,
  scope = 'api',
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope,
  });
  const response = await fetch(`${origin}/connect/token`, { method: 'POST', body });
  const reply = (await response.json()) as { access_token?: string };
  if (reply.access_token === undefined) throw new Error(`no token: ${JSON.stringify(reply)}`);
  return reply.access_token;
}
