import { randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** Random numbers fetched many at a time: a change makes several ids, and each fetch is a call into the system's source. */
class RandomNumbers {
  readonly #numbers = new Uint32Array(1_024);
  #used = this.#numbers.length;

  nextUint32(): number {
    if (this.#used === this.#numbers.length) {
      randomFillSync(this.#numbers);
      this.#used = 0;
    }
    return this.#numbers[this.#used++] as number;
  }
}

const generator = new V7Generator(new RandomNumbers());

/** A new id. Version 7 keeps rows of one tenant in the order of their making, which keeps indexes compact. */
export const newId = (): string => generator.generate().toString();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);
