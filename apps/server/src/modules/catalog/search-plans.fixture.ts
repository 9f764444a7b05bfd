import type pg from 'pg';
import { tenantSetting } from '#platform/db/tenant-reader.ts';
import { Plan, type Sent } from './query-plans.fixture.ts';

/** EXPLAIN says nothing of what a function runs; this has the database tell it as a notice. Only a superuser may. */
const TELL_ALL = `
  load 'auto_explain';
  set auto_explain.log_min_duration = 0;
  set auto_explain.log_nested_statements = on;
  set auto_explain.log_analyze = on;
  set auto_explain.log_timing = off;
  set auto_explain.log_buffers = on;
  set auto_explain.log_format = json;
  set auto_explain.log_level = notice;`;

interface Told {
  readonly 'Query Text': string;
  readonly Plan: ConstructorParameters<typeof Plan>[0];
}

/** The plans of the search itself, of statements that are run as the application in one session. */
export class SearchExplainer {
  readonly #client: pg.Client;
  #told: string[] = [];

  constructor(superuser: pg.Client) {
    this.#client = superuser;
    superuser.on('notice', ({ message = '' }) => this.#told.push(message));
  }

  async explain(tenantId: string, { text, values }: Sent): Promise<Plan> {
    const setting = tenantSetting(tenantId);
    await this.#client.query(TELL_ALL);
    await this.#client.query('begin; set local role tenantry_app');
    try {
      await this.#client.query(setting.text, [...setting.values]);
      this.#told = [];
      await this.#client.query(text, [...values]);
    } finally {
      await this.#client.query('rollback');
    }
    return this.#searchPlan();
  }

  #searchPlan(): Plan {
    const plans = this.#told.flatMap((message) => {
      const start = message.indexOf('{');
      return start === -1 ? [] : [JSON.parse(message.slice(start)) as Told];
    });
    const found = plans.find((told) => told['Query Text'].includes('join product_search'));
    if (found === undefined) throw new Error(`no plan of a search was told: ${this.#told.join('\n')}`);
    return new Plan(found.Plan);
  }
}
