import { Announcements, type Topic } from './announcements.ts';
import type { Statement } from './group-query.ts';

/** What a transaction has to announce: to the other nodes with its commit, to this one right after it. */
export class News {
  readonly #announcements: Announcements;
  readonly #items: { readonly topic: Topic; readonly payload: string }[] = [];

  constructor(announcements: Announcements) {
    this.#announcements = announcements;
  }

  add(topic: Topic, payload: string): void {
    this.#items.push({ topic, payload });
  }

  get statements(): Statement[] {
    return this.#items.map(({ topic, payload }) => Announcements.statement(topic, payload));
  }

  tell(): void {
    for (const { topic, payload } of this.#items) this.#announcements.tell(topic, payload);
  }
}
