/** The part of autocannon, which brings no types, that load.ts uses. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    readonly method: 'GET' | 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly connections: number;
    readonly pipelining: number;
    readonly duration?: number;
    /** Requests in all, instead of a duration. */
    readonly amount?: number;
  }

  interface Result {
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
    readonly timeouts: number;
    /** Seconds. */
    readonly duration: number;
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
  }

  interface Run extends Promise<Result> {
    stop(): void;
  }

  function autocannon(options: Options): Run;
  export = autocannon;
}
