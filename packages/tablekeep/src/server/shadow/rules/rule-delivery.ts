import { type Clock, type Logger, linkSignals, sleep } from "@tablekeep/core";
import type { ShadowRule } from "../../setting-files/shadow-rules.ts";
import { hookFailure, postHook } from "../../web-hooks/post-hook.ts";
import type { RuleEvent } from "./rule-events.ts";
import type { QueuedEvent, RuleItems } from "./rule-items.ts";
import { type RuleLimits, type RuleOutcome, waitMs } from "./rule-limits.ts";
import { StoredRuleQueue } from "./stored-rule-queue.ts";

/** Milliseconds that requests in flight have to end when the server stops. */
const graceMs = 2_000;

/** The queue of a rule. */
export interface RuleStatus {
  /** Waiting events. */
  readonly queued: number;
  readonly parked: number;
  /** Events dropped since this server started to run the rules. */
  readonly dropped: number;
  /** The last error, unless a request has succeeded since. */
  readonly lastError?: string;
}

/** Dependencies of the delivery to one rule. */
export interface RuleDeliveryOptions {
  readonly rule: ShadowRule;
  readonly items: RuleItems;
  readonly limits: RuleLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onOutcome: (outcome: RuleOutcome) => void;
}

/**
 * Delivers the events of one rule, each at least once, and those of one shadow in order. Retries an event that fails after increasing waits,
 * while those of other shadows continue. After a failure, sends one request at a time until one succeeds.
 */
export class RuleDelivery {
  readonly #options: RuleDeliveryOptions;
  readonly #queue: StoredRuleQueue;
  /** The places of the parked events, oldest first. */
  readonly #parked: string[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #late = new AbortController();
  #failures = 0;
  #notBefore = 0;
  #lastError = "";
  #dropped = 0;
  #wake: () => void = () => {};

  constructor(options: RuleDeliveryOptions) {
    this.#options = options;
    const { rule, items, limits, clock, logger, onOutcome } = options;
    this.#queue = new StoredRuleQueue({
      rule: rule.name,
      items,
      limits,
      clock,
      logger,
      onDropped: () => {
        this.#dropped++;
        onOutcome("dropped");
      },
      onUnavailable: (error) => this.#unavailable(error),
    });
  }

  /** Reads the events that the last run left. */
  async load(signal: AbortSignal): Promise<void> {
    for (const { order } of await this.#options.items.parked(signal)) this.#parked.push(order);
    await this.#queue.load(this.#parked.at(-1), signal);
  }

  status(): RuleStatus {
    const counts = { queued: this.#queue.size, parked: this.#parked.length, dropped: this.#dropped };
    return this.#failures > 0 ? { ...counts, lastError: this.#lastError } : counts;
  }

  /** Stores events to be delivered, except those that are already waiting. If it throws, call it again with the same events. */
  async add(events: readonly RuleEvent[]): Promise<void> {
    await this.#queue.add(events);
    this.#wake();
    await this.#queue.dropBeyondLimit(this.#late.signal);
  }

  /** Moves all parked events back to the queue. Returns how many. */
  async retry(signal: AbortSignal): Promise<number> {
    const { items } = this.#options;
    const parked = await items.parked(signal);
    for (const { order, error: _error, parkedAt: _parkedAt, ...event } of parked) {
      const body = await items.body("parked", order, signal);
      if (body !== undefined) await this.add([{ ...event, body, rule: this.#options.rule.name }]);
      await items.removeParked(order);
      const at = this.#parked.indexOf(order);
      if (at >= 0) this.#parked.splice(at, 1);
    }
    return parked.length;
  }

  /** Delivers until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, limits } = this.#options;
    while (!signal.aborted) {
      if (clock.monotonic() >= this.#notBefore) await this.#queue.refill(signal);
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const now = clock.monotonic();
      const mayBegin = this.#queue.next.inFlight < (this.#failures > 0 ? 1 : limits.inFlight);
      const next = mayBegin ? this.#queue.next.next(now) : undefined;
      const at = next === undefined ? undefined : Math.max(this.#notBefore, "at" in next ? next.at : now);
      if (next !== undefined && "event" in next && at === now) this.#begin(next.event, signal);
      else await this.#until(at, woken, signal);
    }
    // Events with a response before the end are not posted again after a restart.
    const cancel = clock.after(graceMs, () => this.#late.abort(), { background: true });
    await Promise.all(this.#running);
    cancel();
  }

  /** Waits until a time, or until `woken` resolves. */
  async #until(at: number | undefined, woken: Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const end = linkSignals(signal);
    const waitMs = at === undefined ? 60_000 : Math.max(1, at - clock.monotonic());
    const waited = sleep(clock, waitMs, end.signal, { background: true }).catch(() => undefined);
    await Promise.race([waited, woken]);
    end.abort();
  }

  #begin(event: QueuedEvent, signal: AbortSignal): void {
    this.#queue.next.begin(event);
    const work = this.#deliver(event, signal)
      .then(() => (signal.aborted ? undefined : this.#queue.dropBeyondLimit(this.#late.signal)))
      .catch((error: unknown) => this.#warnUnavailable(error))
      .finally(() => {
        this.#running.delete(work);
        this.#wake();
      });
    this.#running.add(work);
  }

  /** Never rejects. */
  async #deliver(event: QueuedEvent, signal: AbortSignal): Promise<void> {
    const { items, onOutcome } = this.#options;
    try {
      const body = await items.body("queue", event.order, signal);
      if (body === undefined) return this.#queue.forget(event);
      const error = await this.#post(event, body);
      if (error !== undefined && this.#late.signal.aborted) return;
      if (error !== undefined) return await this.#failed(event, body, error);
      onOutcome("delivered");
      this.#failures = 0;
      this.#notBefore = 0;
      this.#queue.forget(event);
      await items.remove(event.order);
    } catch (error) {
      if (signal.aborted) return;
      // The attempt does not count. If it succeeded, the event is delivered twice.
      this.#queue.next.failed(event, this.#unavailable(error));
    }
  }

  /** Posts an event. Returns the error if it fails. */
  async #post({ id }: QueuedEvent, body: string): Promise<string | undefined> {
    const { url, secret } = this.#options.rule;
    try {
      await postHook({ url, secret, id, body }, this.#options.clock, this.#late.signal);
      return undefined;
    } catch (error) {
      return hookFailure(error);
    }
  }

  async #failed(event: QueuedEvent, body: string, error: string): Promise<void> {
    const { items, rule, limits, clock, logger, onOutcome } = this.#options;
    const { thing, name, version } = event;
    const failed = { ...event, attempts: event.attempts + 1 };
    const about = { rule: rule.name, thing, name, version, attempt: failed.attempts, error };
    this.#lastError = error;
    this.#pause(clock.monotonic());
    if (failed.attempts < limits.attempts) {
      onOutcome("failed");
      logger.warn("could not deliver an event of a shadow rule; trying again later", about);
      await items.failed(failed);
      this.#queue.next.failed(failed, clock.monotonic() + waitMs(failed.attempts, limits));
      return;
    }
    await items.park(failed, body, error);
    this.#queue.forget(event);
    this.#parked.push(event.order);
    onOutcome("parked");
    logger.error("an event of a shadow rule is parked", about);
    const [oldest = ""] = this.#parked;
    if (this.#parked.length <= limits.parked) return;
    this.#parked.shift();
    await items.removeParked(oldest);
  }

  /** Handles an error of the table. Returns when to try again. */
  #unavailable(error: unknown): number {
    this.#warnUnavailable(error);
    return this.#pause(this.#options.clock.monotonic());
  }

  #warnUnavailable(error: unknown): void {
    const { rule, logger } = this.#options;
    logger.warn("the queue of a shadow rule is unavailable", { rule: rule.name, error });
  }

  /** Makes the whole rule wait after a failure. Returns when the wait ends. */
  #pause(now: number): number {
    this.#failures++;
    this.#notBefore = now + waitMs(this.#failures, this.#options.limits);
    return this.#notBefore;
  }
}
