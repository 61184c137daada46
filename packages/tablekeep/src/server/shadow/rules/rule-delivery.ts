import { type Clock, type Logger, linkSignals, sleep } from "@tablekeep/core";
import type { ShadowRule } from "../../shadow-rules/shadow-rules.ts";
import { hookFailure, postHook } from "../../web-hooks/post-hook.ts";
import type { RuleEvent } from "./rule-events.ts";
import type { QueuedEvent, RuleItems } from "./rule-items.ts";
import { RuleQueue } from "./rule-queue.ts";

/** What became of an event, or of an attempt. */
export type RuleOutcome = "delivered" | "failed" | "parked" | "dropped";

/** Limits of the delivery. */
export interface RuleLimits {
  /** Events of one rule that wait in the table; beyond it the oldest are dropped. */
  readonly stored: number;
  /** Those of them that are in memory. The others are read when half of these are delivered. */
  readonly queued: number;
  /** Parked events of one rule; beyond it the oldest are removed. */
  readonly parked: number;
  /** Attempts for one event. */
  readonly attempts: number;
  /** Requests to one rule at a time. */
  readonly inFlight: number;
  /** The wait after the first failure in milliseconds; it doubles up to the longest. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** Bytes of one event: it is stored as one item. */
  readonly eventBytes: number;
}

export const ruleLimits: RuleLimits = {
  stored: 100_000,
  queued: 10_000,
  parked: 1_000,
  attempts: 12,
  inFlight: 8,
  firstWaitMs: 1_000,
  maxWaitMs: 300_000,
  eventBytes: 350_000,
};

/** Milliseconds that requests in flight have to end when the server stops. */
const graceMs = 2_000;

/** The queue of a rule. */
export interface RuleStatus {
  /** Events that wait. */
  readonly queued: number;
  readonly parked: number;
  /** Events that were dropped since this server runs the rules. */
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
 * Delivers the events of one rule, each at least once, and those of a shadow in order. An event that fails is tried again with growing waits
 * while others go on; after a failure there is one request at a time until one succeeds.
 */
export class RuleDelivery {
  readonly #options: RuleDeliveryOptions;
  readonly #queue = new RuleQueue();
  readonly #parked: string[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #late = new AbortController();
  readonly #places = new WeakMap<RuleEvent, QueuedEvent>();
  #place = 0;
  /** The number of events in the table. */
  #stored = 0;
  /** Whether all of them are in the queue. */
  #isWhole = true;
  /** Rises whenever events were stored. */
  #adds = 0;
  /** The place up to which events have been in the queue. */
  #readUntil = "";
  #failures = 0;
  #notBefore = 0;
  #lastError = "";
  #dropped = 0;
  #wake: () => void = () => {};

  constructor(options: RuleDeliveryOptions) {
    this.#options = options;
  }

  /** Reads what the last run has left. */
  async load(signal: AbortSignal): Promise<void> {
    const { items, limits } = this.#options;
    const some = await items.queuedAfter("", limits.queued, signal);
    for (const event of some) this.#enqueue(event);
    this.#isWhole = some.length < limits.queued;
    const whole = { count: some.length, last: this.#readUntil };
    const { count, last } = this.#isWhole ? whole : await items.extent(signal);
    this.#stored = count;
    for (const { order } of await items.parked(signal)) this.#parked.push(order);
    this.#place = Math.max(Number(last), Number(this.#parked.at(-1) ?? 0));
  }

  status(): RuleStatus {
    const queued = Math.max(this.#stored, this.#queue.size);
    const counts = { queued, parked: this.#parked.length, dropped: this.#dropped };
    return this.#failures > 0 ? { ...counts, lastError: this.#lastError } : counts;
  }

  /** Stores events, which then wait to be delivered. One that waits already is not stored again. If it throws, call it again with the same events. */
  async add(events: readonly RuleEvent[]): Promise<void> {
    const { limits, items } = this.#options;
    const added = events
      .filter((event) => !this.#queue.has(event.id) && this.#fits(event))
      .map((event) => ({ queued: this.#placed(event), body: event.body }));
    const results = await Promise.allSettled(added.map(({ queued, body }) => items.add(queued, body)));
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    // In their order, whichever was stored first; behind events that are only in the table they wait there.
    for (const { queued } of added) {
      this.#stored++;
      this.#isWhole &&= this.#queue.size < limits.queued;
      if (this.#isWhole) this.#enqueue(queued);
    }
    this.#wake();
    this.#adds++;
    await this.#dropBeyondLimit();
  }

  #enqueue(event: QueuedEvent): void {
    // What was just stored may have been read from the table as well.
    if (this.#queue.hasPlace(event.order)) return;
    this.#queue.add(event);
    if (event.order > this.#readUntil) this.#readUntil = event.order;
  }

  /** Removes an event from the queue that is removed from the table as well. */
  #forget(event: QueuedEvent): void {
    this.#queue.remove(event);
    this.#stored--;
  }

  /** Reads events that are only in the table, once half of the queue is free. */
  async #refill(signal: AbortSignal): Promise<void> {
    const { items, limits, rule, clock, logger } = this.#options;
    const { size } = this.#queue;
    if (this.#isWhole || size > limits.queued / 2) return;
    const [adds, wanted] = [this.#adds, limits.queued - size];
    try {
      const some = await items.queuedAfter(this.#readUntil, wanted, signal);
      for (const event of some) if (event.order > this.#readUntil) this.#enqueue(event);
      this.#isWhole = some.length < wanted && adds === this.#adds;
      // Events that have expired are in the count, and nowhere else.
      if (this.#isWhole) this.#stored = this.#queue.size;
    } catch (error) {
      if (signal.aborted) return;
      logger.warn("the queue of a shadow rule is unavailable", { rule: rule.name, error });
      this.#pause(clock.monotonic());
    }
  }

  #fits({ rule, thing, version, body }: RuleEvent): boolean {
    const { limits, logger, onOutcome } = this.#options;
    if (Buffer.byteLength(body) <= limits.eventBytes) return true;
    logger.error("an event is too large for a rule", { rule, thing, version });
    this.#dropped++;
    onOutcome("dropped");
    return false;
  }

  /** An event with its place in the queue, which it keeps if storing it is repeated. */
  #placed(event: RuleEvent): QueuedEvent {
    const { rule: _rule, body: _body, ...rest } = event;
    const placed = this.#places.get(event) ?? { ...rest, order: this.#nextPlace(), attempts: 0 };
    this.#places.set(event, placed);
    return placed;
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
      if (clock.monotonic() >= this.#notBefore) await this.#refill(signal);
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const now = clock.monotonic();
      const mayBegin = this.#queue.inFlight < (this.#failures > 0 ? 1 : limits.inFlight);
      const next = mayBegin ? this.#queue.next(now) : undefined;
      const at = next === undefined ? undefined : Math.max(this.#notBefore, "at" in next ? next.at : now);
      if (next !== undefined && "event" in next && at === now) this.#begin(next.event, signal);
      else await this.#until(at, woken, signal);
    }
    // What is answered now is not posted again after a restart.
    const cancel = clock.after(graceMs, () => this.#late.abort(), { background: true });
    await Promise.all(this.#running);
    cancel();
  }

  /** Waits until a time, or until something has changed. */
  async #until(at: number | undefined, woken: Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const end = linkSignals(signal);
    const waitMs = at === undefined ? 60_000 : Math.max(1, at - clock.monotonic());
    const waited = sleep(clock, waitMs, end.signal, { background: true }).catch(() => undefined);
    await Promise.race([waited, woken]);
    end.abort();
  }

  #begin(event: QueuedEvent, signal: AbortSignal): void {
    this.#queue.begin(event);
    const { rule, logger } = this.#options;
    const work = this.#deliver(event, signal)
      .then(() => (signal.aborted ? undefined : this.#dropBeyondLimit()))
      .catch((error: unknown) => {
        logger.warn("the queue of a shadow rule is unavailable", { rule: rule.name, error });
      })
      .finally(() => {
        this.#running.delete(work);
        this.#wake();
      });
    this.#running.add(work);
  }

  /** Never rejects. */
  async #deliver(event: QueuedEvent, signal: AbortSignal): Promise<void> {
    const { items, rule, clock, logger, onOutcome } = this.#options;
    try {
      const body = await items.body("queue", event.order, signal);
      if (body === undefined) return this.#forget(event);
      const error = await this.#post(event, body);
      if (error !== undefined && this.#late.signal.aborted) return;
      if (error !== undefined) return await this.#failed(event, body, error);
      onOutcome("delivered");
      this.#failures = 0;
      this.#notBefore = 0;
      this.#forget(event);
      await items.remove(event.order);
    } catch (error) {
      if (signal.aborted) return;
      // The table is unavailable: the attempt does not count, and what was delivered may be delivered again.
      logger.warn("the queue of a shadow rule is unavailable", { rule: rule.name, error });
      this.#queue.failed(event, this.#pause(clock.monotonic()));
    }
  }

  /** Returns the error, if there is one. */
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
      this.#queue.failed(failed, clock.monotonic() + waitMs(failed.attempts, limits));
      return;
    }
    await items.park(failed, body, error);
    this.#forget(event);
    this.#parked.push(event.order);
    onOutcome("parked");
    logger.error("an event of a shadow rule is parked", about);
    const [oldest = ""] = this.#parked;
    if (this.#parked.length <= limits.parked) return;
    this.#parked.shift();
    await items.removeParked(oldest);
  }

  /** After a failure the whole rule waits. Returns until when. */
  #pause(now: number): number {
    this.#failures++;
    this.#notBefore = now + waitMs(this.#failures, this.#options.limits);
    return this.#notBefore;
  }

  /** Events in flight are not dropped: if there are no others, the next one that ends drops what is too much. */
  async #dropBeyondLimit(): Promise<void> {
    while (this.#stored > this.#options.limits.stored) {
      await this.#refill(this.#late.signal);
      if (!(await this.#dropOldest())) return;
    }
  }

  /** Returns false if all events are in flight. */
  async #dropOldest(): Promise<boolean> {
    const { items, rule, logger, onOutcome } = this.#options;
    const oldest = this.#queue.oldest();
    if (oldest === undefined) return false;
    this.#forget(oldest);
    const { thing, name, version } = oldest;
    logger.error("the queue of a shadow rule is full: its oldest event is dropped", {
      rule: rule.name,
      thing,
      name,
      version,
    });
    this.#dropped++;
    onOutcome("dropped");
    await items.remove(oldest.order);
    return true;
  }

  /** Places rise, even after a restart with a clock that went back. */
  #nextPlace(): string {
    this.#place = Math.max(this.#place + 1, Math.floor(this.#options.clock.now()) * 1000);
    return String(this.#place).padStart(17, "0");
  }
}

function waitMs(failures: number, { firstWaitMs, maxWaitMs }: RuleLimits): number {
  return Math.min(maxWaitMs, firstWaitMs * 2 ** (failures - 1));
}
