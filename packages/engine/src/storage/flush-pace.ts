/** From this average on, a flush is slow, unless the storage is opened with another limit. */
const defaultSlowMs = 5;
/** The share of the latest commit in the average: one flush of four times the limit is enough to be slow. */
const weight = 1 / 4;
/** So many commits beside the event loop are compared before commits return to it. */
const window = 16;

/**
 * Decides where commits wait for the disk. On a fast one they wait on the event loop, because a flush of 0.2 ms costs
 * less than handing it to a thread. On a slow one, such as an SD card, they wait in a thread of LMDB.
 */
export class FlushPace {
  readonly #slowMs: number;
  #average = 0;
  #isSlow: boolean;
  /** Of the commits in the current window. */
  #fastest = Number.POSITIVE_INFINITY;
  #seen = 0;

  constructor(slowMs: number = defaultSlowMs) {
    this.#slowMs = slowMs;
    this.#isSlow = slowMs <= 0;
  }

  /** True if the next commit should not wait on the event loop. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** Records a commit that waited on the event loop. */
  addInline(ms: number): void {
    this.#average += (ms - this.#average) * weight;
    if (this.#average < this.#slowMs) return;
    this.#isSlow = true;
    this.#fastest = Number.POSITIVE_INFINITY;
    this.#seen = 0;
  }

  /**
   * Records a commit that waited beside the event loop. Its time includes what the event loop did meanwhile, so the
   * fastest of several counts.
   */
  addInBackground(ms: number): void {
    this.#fastest = Math.min(this.#fastest, ms);
    this.#seen++;
    if (this.#seen < window) return;
    if (this.#fastest < this.#slowMs / 2) this.#return();
    this.#fastest = Number.POSITIVE_INFINITY;
    this.#seen = 0;
  }

  /** After a failed commit in the background, the next ones report on the event loop what is wrong with the disk. */
  addFailure(): void {
    this.#return();
  }

  #return(): void {
    this.#isSlow = this.#slowMs <= 0;
    this.#average = 0;
  }
}
