import { setTimeout as after } from 'node:timers/promises';
import type { Platform } from '#platform/platform.ts';
import type { Check, Verdict } from './domain/health.ts';

const TIMEOUT_MS = 2_000;

interface Component {
  readonly name: string;
  /** What its failure means: `fail` where nothing works without it, `warn` where we go on in a poorer way. */
  readonly onFailure: Verdict;
  readonly try: () => Promise<unknown>;
}

/** Tries every component the service stands on, all at once, and remembers how each failed last. */
export class HealthChecks {
  readonly #components: readonly Component[];
  readonly #platform: Platform;
  readonly #failures = new Map<string, { message: string; at: Date }>();

  constructor(platform: Platform) {
    const { db, keys, limiter } = platform;
    this.#platform = platform;
    this.#components = [
      { name: 'database', onFailure: 'fail', try: () => db.platformRows({ text: 'select 1', values: [] }) },
      { name: 'databasePool', onFailure: 'fail', try: () => db.pool.query('select 1') },
      {
        name: 'announcements',
        onFailure: 'warn',
        try: async () => requireThat(db.announcements.isListening, 'not listening'),
      },
      { name: 'signingKeys', onFailure: 'fail', try: async () => keys.current },
      { name: 'rateLimiter', onFailure: 'warn', try: () => limiter.check() },
    ];
  }

  run(): Promise<Check[]> {
    return Promise.all(this.#components.map((component) => this.#check(component)));
  }

  async #check({ name, onFailure, try: attempt }: Component): Promise<Check> {
    const startedAt = performance.now();
    const ended = new AbortController();
    let status: Verdict = 'pass';
    try {
      await Promise.race([attempt(), lateness(ended.signal)]);
    } catch (error) {
      status = onFailure;
      this.#failures.set(name, { message: (error as Error).message, at: this.#platform.clock.now() });
    } finally {
      ended.abort();
    }
    const failure = this.#failures.get(name);
    return {
      component: name,
      status,
      latencyMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
      lastError: failure?.message ?? null,
      lastErrorAt: failure?.at ?? null,
    };
  }
}

async function lateness(signal: AbortSignal): Promise<never> {
  await after(TIMEOUT_MS, undefined, { signal, ref: false });
  throw new Error(`no answer within ${TIMEOUT_MS} ms`);
}

function requireThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
