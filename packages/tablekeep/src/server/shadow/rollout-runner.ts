import { type Clock, type Logger, sleep } from "@tablekeep/core";
import type { ShadowRollouts } from "@tablekeep/shadow";

/** Dependencies of a runner. */
export interface RolloutRunnerOptions {
  readonly rollouts: Pick<ShadowRollouts, "list" | "advance" | "release">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Milliseconds between two reads of the rollouts of a table. */
const pollMs = 5_000;
/** Milliseconds that a stopping server has to end its leases. */
const releaseMs = 1_000;
const activePhases = new Set(["preparing", "running", "rolling-back"]);

/**
 * Runs the rollouts of a table until the server stops. Several servers may do so: a lease in the table decides which one works on a rollout, and
 * another one continues when it ends. Unfinished rollouts are continued when the server starts.
 */
export class RolloutRunner {
  readonly #options: RolloutRunnerOptions;
  readonly #closing = new AbortController();
  #awake = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** The rollouts that could not be continued; "" if they could not be read. */
  #failing = new Set<string>();

  constructor(options: RolloutRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.wake();
    this.#running = this.#run();
  }

  /** Reads the rollouts now, because one was created or changed. */
  wake(): void {
    this.#awake.abort();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#awake.abort();
    await this.#running;
    // A lease that cannot be ended now expires.
    await this.#options.rollouts.release({ deadlineMs: releaseMs }).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleep(clock, pollMs, this.#awake.signal, { background: true }).catch(() => undefined);
      if (signal.aborted) return;
      this.#awake = new AbortController();
      await this.#runOnce().catch((error: unknown) => this.#failed(error));
    }
  }

  async #runOnce(): Promise<void> {
    const { rollouts } = this.#options;
    const { signal } = this.#closing;
    const failing = new Set<string>();
    for (const { name, phase } of await rollouts.list({ signal })) {
      if (signal.aborted) return;
      if (!activePhases.has(phase)) continue;
      // A rollout that fails does not stop the others.
      await rollouts.advance(name, { signal }).catch((error: unknown) => {
        failing.add(name);
        this.#failed(error, name);
      });
    }
    this.#failing = failing;
  }

  /** Logs the first of several failures: of one rollout, or of reading all of them. */
  #failed(error: unknown, rollout = ""): void {
    if (this.#closing.signal.aborted) return;
    if (!this.#failing.has(rollout))
      this.#options.logger.error("could not continue a rollout; trying again", {
        ...(rollout !== "" && { rollout }),
        error,
      });
    this.#failing.add(rollout);
  }
}
