import { type Clock, isTablekeepError, type Logger, sleep } from "@tablekeep/core";
import type { Feed } from "@tablekeep/feed";
import { runAsPart } from "../../listening/part-context.ts";

/** Dependencies of a sequencer. */
export interface FeedSequencerOptions {
  /** The journal's name, for the log. */
  readonly journal: string;
  readonly open: () => Promise<Pick<Feed, "create" | "run">>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The state of a sequencer. */
export interface SequencerState {
  /** Whether it runs; false while it waits after a failure. */
  readonly running: boolean;
  /** The number of its failures since the start of the server. */
  readonly failures: number;
  /** The code of the last failure, until it has run for a while again. */
  readonly error?: string;
}

/** The waits after consecutive failures, in milliseconds. The last one repeats: the cause may disappear at any time. */
const restartWaitsMs: readonly number[] = [500, 2_000, 5_000, 15_000, 60_000];

/** A sequencer that has run for this long has recovered. */
const steadyMs = 10_000;

/** How long the start of a server waits for a feed: DynamoDB needs some seconds to enable a stream. */
const startMs = 15_000;

/** Adds the events of one journal to its feed until it is stopped. After a failure it starts again, and nothing else stops. */
export class FeedSequencer {
  readonly #options: FeedSequencerOptions;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #firstAttempt: Promise<void>;
  #attempted: () => void = () => {};
  #failures = 0;
  #error: string | undefined;
  /** When it was started last, on the monotonic clock; undefined while it waits. */
  #runningSince: number | undefined;

  constructor(options: FeedSequencerOptions) {
    this.#options = options;
    this.#firstAttempt = new Promise((resolve) => {
      this.#attempted = resolve;
    });
    this.#ended = runAsPart("feed", () => this.#keepRunning());
  }

  get state(): SequencerState {
    const running = this.#runningSince !== undefined;
    const error = this.#hasRecovered() ? undefined : this.#error;
    return { running, failures: this.#failures, ...(error !== undefined && { error }) };
  }

  /**
   * Waits until the feed exists, or until the first attempt has failed: a server also starts without its feed. `state` reports a failing
   * feed, which is created later.
   */
  async started(): Promise<void> {
    const { clock } = this.#options;
    const done = new AbortController();
    await Promise.race([this.#firstAttempt, sleep(clock, startMs, done.signal).catch(() => {})]);
    done.abort();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #keepRunning(): Promise<void> {
    const { clock, logger, open, journal } = this.#options;
    const { signal } = this.#stop;
    for (let inARow = 0; !signal.aborted; inARow++) {
      try {
        this.#runningSince = clock.monotonic();
        const feed = await open();
        await feed.create({ signal });
        this.#attempted();
        await feed.run({ signal });
      } catch (error) {
        if (signal.aborted) return;
        if (this.#hasRecovered()) inARow = 0;
        const waitMs = restartWaitsMs[Math.min(inARow, restartWaitsMs.length - 1)] ?? 0;
        this.#runningSince = undefined;
        this.#failures++;
        this.#attempted();
        this.#error = isTablekeepError(error) ? error.code : "INTERNAL";
        logger.error("the feed of a journal failed; restarting", { journal, waitMs, error });
        await sleep(clock, waitMs, signal).catch(() => {});
      }
    }
  }

  #hasRecovered(): boolean {
    const since = this.#runningSince;
    return since !== undefined && this.#options.clock.monotonic() - since > steadyMs;
  }
}
