import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { DurationHistogram } from './duration-histogram.ts';

interface RouteFigures {
  readonly operation: string;
  readonly requests: number;
  readonly errors: number;
  readonly requestsPerSecond: number;
  readonly latencyMs: {
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
    readonly max: number;
  };
}

/** The newest durations of each operation, for percentiles; enough for a p99, small enough to forget about. */
const SAMPLES = 512;

class Figures {
  readonly samples = new Float64Array(SAMPLES);
  requests = 0;
  errors = 0;
  max = 0;

  add(milliseconds: number, isError: boolean): void {
    this.samples[this.requests++ % SAMPLES] = milliseconds;
    if (isError) this.errors++;
    if (milliseconds > this.max) this.max = milliseconds;
  }

  percentiles(): { p50: number; p95: number; p99: number; max: number } {
    const sorted = this.samples.slice(0, Math.min(this.requests, SAMPLES)).sort();
    const at = (share: number): number =>
      round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: round(this.max) };
  }
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** What Prometheus scrapes, and the figures that a person reads at /api/system/performance. */
export class Metrics {
  readonly registry = new Registry();
  readonly #figures = new Map<string, Figures>();
  readonly #durations = new DurationHistogram();
  readonly #since = performance.now();

  constructor(pool: {
    readonly totalCount: number;
    readonly idleCount: number;
    readonly waitingCount: number;
  }) {
    collectDefaultMetrics({ register: this.registry, prefix: 'tenantry_' });
    this.registry.registerMetric(this.#durations as unknown as Metric);
    new Gauge({
      name: 'tenantry_db_pool_connections',
      help: 'Pooled database connections.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
        this.set({ state: 'idle' }, pool.idleCount);
        this.set({ state: 'awaited' }, pool.waitingCount);
      },
    });
  }

  observe(operation: string, status: number, milliseconds: number): void {
    this.#durations.observe(operation, status, milliseconds / 1000);
    let figures = this.#figures.get(operation);
    if (figures === undefined) {
      figures = new Figures();
      this.#figures.set(operation, figures);
    }
    figures.add(milliseconds, status >= 500);
  }

  perOperation(): RouteFigures[] {
    const seconds = (performance.now() - this.#since) / 1000;
    return [...this.#figures]
      .map(([operation, figures]) => ({
        operation,
        requests: figures.requests,
        errors: figures.errors,
        requestsPerSecond: round(figures.requests / seconds),
        latencyMs: figures.percentiles(),
      }))
      .sort((a, b) => b.requests - a.requests);
  }
}
