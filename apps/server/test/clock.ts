import type { Clock } from '#kernel/clock.ts';

/** Time that a test can set. It begins at the true time and stands still. */
export class TestClock implements Clock {
  #now = new Date();

  now(): Date {
    return new Date(this.#now);
  }

  set(time: Date | string): void {
    this.#now = new Date(time);
  }

  advance(milliseconds: number): void {
    this.#now = new Date(this.#now.getTime() + milliseconds);
  }
}
