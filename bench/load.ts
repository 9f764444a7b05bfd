import autocannon from 'autocannon';

/** What is asked for, over and over. */
export interface Target {
  readonly url: string;
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Round {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

type Extent = { readonly seconds: number } | { readonly requests: number };

const CONNECTIONS = 50;

/** Asks as fast as the answers come. Anything but a 2xx is no answer, and then there is nothing to compare. */
export async function load(target: Target, extent: Extent): Promise<Round> {
  const { url, method = 'GET', headers = {}, body } = target;
  const result = await autocannon({
    url,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    connections: CONNECTIONS,
    pipelining: 1,
    ...('seconds' in extent ? { duration: extent.seconds } : { amount: extent.requests }),
  });
  const good = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0 || result.timeouts > 0 || good === 0) {
    const statuses = Object.entries(result.statusCodeStats).map(
      ([status, { count }]) => `${count} × ${status}`,
    );
    throw new Error(
      `${method} ${url} did not always answer 2xx: ${statuses.join(', ') || 'no answers'}; ` +
        `${result.errors} errors, ${result.timeouts} timeouts`,
    );
  }
  return {
    requestsPerSecond: Math.round(good / result.duration),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
