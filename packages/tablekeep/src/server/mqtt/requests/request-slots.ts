/** Limits the number of requests that run concurrently. The others wait in order of arrival. */
export class RequestSlots {
  #free: number;
  #isClosed = false;
  #waiting: ((mayRun: boolean) => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Resolves to true once a request may run; call {@link release} when it has ended. Resolves to false after {@link close}. */
  async take(): Promise<boolean> {
    if (this.#isClosed) return false;
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free--;
    return true;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next(true);
  }

  /** No further request runs. */
  close(): void {
    this.#isClosed = true;
    for (const next of this.#waiting.splice(0)) next(false);
  }
}
