import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { systemActor } from '#platform/db/actor.ts';
import { advisoryLocks } from '#platform/db/advisory-locks.ts';
import type { Database } from '#platform/db/database.ts';
import { query } from '#platform/db/query.ts';
import type { InstanceKey } from './instance-key.ts';
import { planKeys, type RotationRules } from './key-schedule.ts';

interface SigningKey {
  readonly id: string;
  readonly activeFrom: Date;
  readonly privateJwk: JsonWebKey;
  readonly publicKey: KeyObject;
}

/** The keys that sign access tokens: kept in the database, their private half sealed, rotated by one node at a time. */
export class SigningKeys {
  readonly #db: Database;
  readonly #instanceKey: InstanceKey;
  readonly #clock: Clock;
  readonly #rules: RotationRules;
  #keys: readonly SigningKey[] = [];
  #onChange: () => void = () => {};
  #loads = 0;
  #newestLoad = 0;

  constructor(db: Database, instanceKey: InstanceKey, clock: Clock, rules: RotationRules) {
    this.#db = db;
    this.#instanceKey = instanceKey;
    this.#clock = clock;
    this.#rules = rules;
    db.announcements.subscribe('signingKeys', () => void this.reload().catch(() => {})); // the minute's tick tries again
  }

  /** Called whenever the set of keys may have changed. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  get current(): SigningKey {
    const { current } = planKeys(this.#keys, this.#clock.now(), this.#rules);
    if (current === undefined) throw new Error('There is no signing key yet.');
    return current;
  }

  /** The current one first. */
  get published(): readonly SigningKey[] {
    const { current, published } = planKeys(this.#keys, this.#clock.now(), this.#rules);
    return published.toSorted((a, b) => Number(b === current) - Number(a === current));
  }

  publicKey(id: string): KeyObject | undefined {
    return this.published.find((key) => key.id === id)?.publicKey;
  }

  async reload(): Promise<void> {
    const load = ++this.#loads;
    const rows = await this.#db.platformRows(query.selectFrom('signing_key').selectAll());
    if (load < this.#newestLoad) return; // answers may overtake each other, and the later load knows more
    this.#newestLoad = load;
    this.#keys = rows.map((row) => ({
      id: row.id,
      activeFrom: row.active_from,
      privateJwk: JSON.parse(this.#instanceKey.open(row.private_jwk_sealed, row.id).toString()) as JsonWebKey,
      publicKey: createPublicKey({ key: row.public_jwk as JsonWebKey, format: 'jwk' }),
    }));
    this.#onChange();
  }

  /** Makes the next key when it is due and removes what no token needs any more. */
  async rotate(): Promise<void> {
    if (!this.#isWorkDue()) return;
    await this.#db.acrossTenants(
      'rotate signing keys',
      systemActor('rotate-signing-keys'),
      async (across) => {
        await across.rows({ text: 'select pg_advisory_xact_lock($1)', values: [advisoryLocks.keyRotation] });
        const rows = await across.rows(
          query.selectFrom('signing_key').select(['id', 'active_from as activeFrom']),
        );
        const plan = planKeys(rows, this.#clock.now(), this.#rules); // anew: another node may have been quicker
        for (const { id } of plan.expired)
          await across.write(query.deleteFrom('signing_key').where('id', '=', id));
        if (plan.makeNextFrom !== undefined) {
          await across.write(query.insertInto('signing_key').values(this.#make(plan.makeNextFrom)));
        }
        across.announce('signingKeys', 'rotated');
      },
    );
    await this.reload();
  }

  #isWorkDue(): boolean {
    const plan = planKeys(this.#keys, this.#clock.now(), this.#rules);
    return plan.makeNextFrom !== undefined || plan.expired.length > 0;
  }

  #make(activeFrom: Date) {
    const id = newId();
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const sealed = this.#instanceKey.seal(JSON.stringify(privateKey.export({ format: 'jwk' })), id);
    return {
      id,
      public_jwk: JSON.stringify(publicKey.export({ format: 'jwk' })),
      private_jwk_sealed: sealed,
      active_from: activeFrom,
    };
  }
}
