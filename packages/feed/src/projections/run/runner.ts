import { type Clock, type Logger, silentLogger, sleep } from "@tablekeep/core";
import { Renewals } from "../../renewals.ts";
import { requestSignal, sleepUntilWoken } from "../../signals.ts";
import { checkReached } from "../control-checks.ts";
import type { Projection } from "../projection.ts";
import { optionInvalid, ProjectionError } from "../projection-error.ts";
import type {
  ReachedOptions,
  ReachedTarget,
  RunningProjections,
  RunningStatus,
} from "../running-projections.ts";
import { projectionKey } from "../store/projection-items.ts";
import { waitUntilReached } from "./reached.ts";
import { type RunnerContext, RunningProjection } from "./running-projection.ts";

/** Dependencies of a runner. */
export interface RunnerOptions extends Omit<RunnerContext, "onLost" | "onMoved"> {
  readonly leaseMs: number;
}

/** All projections of a process. Renews its lease regularly, and claims its share of the slices. */
export class Runner implements RunningProjections {
  readonly #options: RunnerOptions;
  readonly #running: readonly RunningProjection[];
  readonly #stop: AbortController;
  readonly #sequencing: Promise<void> | undefined;
  readonly #moved = new Set<() => void>();
  readonly #renewals: Renewals;
  /** Whether a slice was lost: the next sync is not waited for. */
  #isSyncDue = false;
  #wakeSync: (() => void) | undefined;
  #syncing: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(
    options: RunnerOptions,
    projections: readonly Projection[],
    stop: AbortController,
    sequencing: Promise<void> | undefined,
  ) {
    this.#options = options;
    this.#renewals = new Renewals(options.clock, options.leaseMs);
    this.#stop = stop;
    this.#sequencing = sequencing;
    const onMoved = () => {
      for (const wake of this.#moved) wake();
    };
    const onLost = () => {
      this.#isSyncDue = true;
      this.#wakeSync?.();
    };
    const context = { ...options, onMoved, onLost };
    this.#running = projections.map((projection) => new RunningProjection(projection, context));
    stop.signal.addEventListener("abort", () => void this.stop(), { once: true });
  }

  get runner(): string {
    return this.#options.runner;
  }

  get #clock(): Clock {
    return this.#options.clock;
  }

  get #logger(): Logger {
    return this.#options.logger ?? silentLogger;
  }

  /** Starts. When it returns, it has claimed its slices. */
  async begin(): Promise<void> {
    await this.#syncOnce();
    this.#syncing = this.#syncRegularly();
  }

  async #syncRegularly(): Promise<void> {
    const { signal } = this.#stop;
    const listen = (wake: () => void) => {
      this.#wakeSync = wake;
      return () => {
        this.#wakeSync = undefined;
      };
    };
    while (!signal.aborted) {
      if (!this.#isSyncDue) await sleepUntilWoken(this.#clock, this.#options.leaseMs / 3, signal, listen);
      // Slices that are lost again and again are not claimed in a loop.
      if (this.#isSyncDue) await sleep(this.#clock, 50, signal).catch(() => {});
      this.#isSyncDue = false;
      if (!signal.aborted) await this.#syncOnce();
    }
  }

  async #syncOnce(): Promise<void> {
    const { store, runner, leaseMs } = this.#options;
    try {
      const now = this.#clock.now();
      const runs = new Map(this.#running.map((each) => [each.name, each.takeRate()]));
      await store.renewRunner({ runner, until: Math.floor(now + leaseMs), runs });
      const { alive, gone } = await store.runnersByLife(leaseMs);
      for (const name of gone) await store.delete(projectionKey.runner(name));
      const abandoned = this.#renewals.abandoned(new Map(alive.map((each) => [each.runner, each.until])));
      const renewed = alive.filter((each) => !abandoned.has(each.runner));
      const syncs = this.#running.map((each) =>
        each.sync(renewed).catch((error: unknown) => {
          this.#logger.warn("could not claim the slices of a projection", {
            projection: each.name,
            error,
          });
        }),
      );
      await Promise.all(syncs);
    } catch (error) {
      this.#logger.warn("could not renew the lease of a projection runner", { error });
    }
  }

  async reached(projection: Projection, target: ReachedTarget, options: ReachedOptions = {}): Promise<void> {
    checkReached(target, options);
    const running = this.#running.find((each) => each.projection === projection);
    if (running === undefined)
      throw optionInvalid("projection", "must be a projection that this call of runProjections runs");
    const { deadlineMs = 30_000, signal } = options;
    const end = this.#clock.monotonic() + deadlineMs;
    const over = new AbortController();
    const abort = () => over.abort();
    const cancel = this.#clock.after(deadlineMs, abort);
    for (const each of [signal, this.#stop.signal]) each?.addEventListener("abort", abort, { once: true });
    const check = () => {
      if (signal?.aborted === true || this.#stop.signal.aborted)
        throw new ProjectionError("PROJECTION_ABORTED", "the wait was aborted", {});
      // A timer may fire a moment early, when the requests of the wait are already aborted.
      if (!over.signal.aborted && this.#clock.monotonic() < end) return;
      const message = `projection ${projection.name} has not reached the event within ${deadlineMs} ms`;
      throw new ProjectionError("PROJECTION_DEADLINE_EXCEEDED", message, { deadlineMs });
    };
    try {
      check();
      const { store, feed, record } = this.#options;
      const call = { signal: requestSignal(over.signal) };
      const listen = (wake: () => void) => {
        this.#moved.add(wake);
        return () => this.#moved.delete(wake);
      };
      const untilMoved = (ms: number) => sleepUntilWoken(this.#clock, ms, over.signal, listen);
      const ownCursor = (slice: number) => running.cursorOf(slice);
      const context = {
        store,
        feed,
        record,
        clock: this.#clock,
        version: projection,
        ownCursor,
        untilMoved,
        check,
        call,
      };
      await waitUntilReached(context, target);
    } catch (error) {
      // The request was aborted because the wait is over.
      if (over.signal.aborted) check();
      throw error;
    } finally {
      cancel();
      for (const each of [signal, this.#stop.signal]) each?.removeEventListener("abort", abort);
    }
  }

  status(): RunningStatus[] {
    return this.#running.map((each) => each.status());
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await this.#syncing;
    await Promise.all(this.#running.map((each) => each.stop()));
    const { store, runner } = this.#options;
    await store.delete(projectionKey.runner(runner)).catch((error: unknown) => {
      this.#logger.warn("could not remove the record of a projection runner; it will expire", { error });
    });
    await this.#sequencing;
  }
}
