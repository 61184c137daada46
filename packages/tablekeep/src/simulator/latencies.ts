/** Each bucket ends this much higher than the one before. */
const growth = 1.05;

/** Counts durations in buckets of 5 %, so that any number of them needs little memory. */
export class Latencies {
  readonly #buckets: number[] = [];
  #count = 0;
  #maxMs = 0;

  add(ms: number): void {
    const bucket = Math.max(0, Math.ceil(Math.log(Math.max(ms, 0.1) / 0.1) / Math.log(growth)));
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#count++;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  /** The longest duration in milliseconds; 0 if there is none. */
  get maxMs(): number {
    return this.#maxMs;
  }

  /** The duration that a part of all durations does not exceed, in milliseconds, at most 5 % too high. 0 if there is none. */
  quantileMs(part: number): number {
    let rest = Math.ceil(this.#count * part);
    for (const [bucket, count = 0] of this.#buckets.entries()) {
      rest -= count;
      if (rest <= 0) return Math.min(this.#maxMs, 0.1 * growth ** bucket);
    }
    return 0;
  }
}
