const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STATUS_CLASSES = ['other', '1xx', '2xx', '3xx', '4xx', '5xx'];
const NAME = 'tenantry_http_request_duration_seconds';

interface Series {
  readonly operation: string;
  readonly status: string;
  /** How many fell into each bucket, the last one being all that were slower. */
  readonly counts: Uint32Array;
  sum: number;
}

/**
 * Durations by operation and class of status, in the form that the registry of prom-client scrapes. Its own histogram
 * hashes its labels at every observation: 4.5 µs of a request that takes 90.
 */
export class DurationHistogram {
  readonly name = NAME;
  readonly #series = new Map<string, (Series | undefined)[]>();

  observe(operation: string, status: number, seconds: number): void {
    const series = this.#seriesOf(operation, Math.floor(status / 100));
    let bucket = 0;
    while (bucket < BUCKETS_SECONDS.length && seconds > (BUCKETS_SECONDS[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sum += seconds;
  }

  /** Called by the registry at each scrape. */
  async get() {
    const all = [...this.#series.values()].flat().filter((series) => series !== undefined);
    return {
      name: NAME,
      help: 'Time from the arrival of a request to the end of its answer.',
      type: 'histogram',
      aggregator: 'sum',
      values: all.flatMap(valuesOf),
    };
  }

  reset(): void {
    this.#series.clear();
  }

  #seriesOf(operation: string, statusClass: number): Series {
    let byStatus = this.#series.get(operation);
    if (byStatus === undefined) {
      byStatus = new Array<Series | undefined>(STATUS_CLASSES.length).fill(undefined);
      this.#series.set(operation, byStatus);
    }
    const index = statusClass < STATUS_CLASSES.length ? statusClass : 0;
    const status = STATUS_CLASSES[index] as string;
    byStatus[index] ??= { operation, status, counts: new Uint32Array(BUCKETS_SECONDS.length + 1), sum: 0 };
    return byStatus[index];
  }
}

function valuesOf({ operation, status, counts, sum }: Series) {
  const labels = { operation, status };
  let total = 0;
  const buckets = [...counts].map((count, index) => {
    total += count;
    return {
      metricName: `${NAME}_bucket`,
      labels: { le: BUCKETS_SECONDS[index] ?? '+Inf', ...labels },
      value: total,
    };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: total },
  ];
}
