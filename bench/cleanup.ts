type Step = () => Promise<unknown>;

/** What must be undone, however the run ends; the last thing made goes first. */
export class Cleanup {
  readonly #steps: Step[] = [];
  #running: Promise<void> | undefined;

  add(step: Step): void {
    this.#steps.push(step);
  }

  /** A second call waits for the first. A step that fails does not keep the others from being taken. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      await step().catch((error: unknown) => console.error(error));
    }
  }
}
