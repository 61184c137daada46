import type { Clock, Logger } from "@tablekeep/core";
import type { RuleEvent } from "./rule-events.ts";
import type { QueuedEvent, RuleItems } from "./rule-items.ts";
import type { RuleLimits } from "./rule-limits.ts";
import { RuleQueue } from "./rule-queue.ts";

/** Dependencies of a stored queue. */
export interface StoredRuleQueueOptions {
  /** The name of the rule. */
  readonly rule: string;
  readonly items: RuleItems;
  readonly limits: RuleLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each event that is dropped. */
  readonly onDropped: () => void;
  /** Called when the table cannot be read. */
  readonly onUnavailable: (error: unknown) => void;
}

/**
 * The waiting events of one rule in the table, with the next ones in memory. An event stays in the table until it is delivered,
 * parked or dropped.
 */
export class StoredRuleQueue {
  /** The events in memory. */
  readonly next: RuleQueue = new RuleQueue();
  readonly #options: StoredRuleQueueOptions;
  /** The places of events whose storing may be repeated. */
  readonly #places = new WeakMap<RuleEvent, QueuedEvent>();
  #lastPlace = 0;
  /** The number of events in the table. */
  #stored = 0;
  /** Whether all of them are in memory. */
  #isWhole = true;
  /** Increases whenever events are stored. */
  #adds = 0;
  /** The place up to which events have been in memory. */
  #readUntil = "";

  constructor(options: StoredRuleQueueOptions) {
    this.#options = options;
  }

  /** The number of waiting events. */
  get size(): number {
    return Math.max(this.#stored, this.next.size);
  }

  /** Reads the events that the last run left. `lastParked` is the place of the last parked event. */
  async load(lastParked: string | undefined, signal: AbortSignal): Promise<void> {
    const { items, limits } = this.#options;
    const some = await items.queuedAfter("", limits.queued, signal);
    for (const event of some) this.#enqueue(event);
    this.#isWhole = some.length < limits.queued;
    const whole = { count: some.length, last: this.#readUntil };
    const { count, last } = this.#isWhole ? whole : await items.extent(signal);
    this.#stored = count;
    this.#lastPlace = Math.max(Number(last), Number(lastParked ?? 0));
  }

  /** Stores events, except those that are already waiting. If it throws, call it again with the same events. */
  async add(events: readonly RuleEvent[]): Promise<void> {
    const { limits, items } = this.#options;
    const added = events
      .filter((event) => !this.next.has(event.id) && this.#fits(event))
      .map((event) => ({ queued: this.#placed(event), body: event.body }));
    const results = await Promise.allSettled(added.map(({ queued, body }) => items.add(queued, body)));
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    // In order, whichever was stored first. If earlier events are only in the table, these stay there as well.
    for (const { queued } of added) {
      this.#stored++;
      this.#isWhole &&= this.next.size < limits.queued;
      if (this.#isWhole) this.#enqueue(queued);
    }
    this.#adds++;
  }

  /** Removes an event from memory; the caller removes it from the table. */
  forget(event: QueuedEvent): void {
    this.next.remove(event);
    this.#stored--;
  }

  /** Reads more events from the table once half of the memory is free. Never rejects. */
  async refill(signal: AbortSignal): Promise<void> {
    const { items, limits, onUnavailable } = this.#options;
    const { size } = this.next;
    if (this.#isWhole || size > limits.queued / 2) return;
    const [adds, wanted] = [this.#adds, limits.queued - size];
    try {
      const some = await items.queuedAfter(this.#readUntil, wanted, signal);
      for (const event of some) if (event.order > this.#readUntil) this.#enqueue(event);
      this.#isWhole = some.length < wanted && adds === this.#adds;
      // Expired events were counted, but are no longer stored.
      if (this.#isWhole) this.#stored = this.next.size;
    } catch (error) {
      if (!signal.aborted) onUnavailable(error);
    }
  }

  /** Drops the oldest events beyond the limit. Events in flight are not dropped: call it again when one of them has ended. */
  async dropBeyondLimit(signal: AbortSignal): Promise<void> {
    while (this.#stored > this.#options.limits.stored) {
      await this.refill(signal);
      if (!(await this.#dropOldest())) return;
    }
  }

  /** Returns false if all events are in flight. */
  async #dropOldest(): Promise<boolean> {
    const { items, rule, logger, onDropped } = this.#options;
    const oldest = this.next.oldest();
    if (oldest === undefined) return false;
    this.forget(oldest);
    const { thing, name, version } = oldest;
    logger.error("the queue of a shadow rule is full: its oldest event is dropped", {
      rule,
      thing,
      name,
      version,
    });
    onDropped();
    await items.remove(oldest.order);
    return true;
  }

  #enqueue(event: QueuedEvent): void {
    // An event that was just stored may also have been read from the table.
    if (this.next.hasPlace(event.order)) return;
    this.next.add(event);
    if (event.order > this.#readUntil) this.#readUntil = event.order;
  }

  #fits({ rule, thing, version, body }: RuleEvent): boolean {
    const { limits, logger, onDropped } = this.#options;
    if (Buffer.byteLength(body) <= limits.eventBytes) return true;
    logger.error("an event is too large for a rule", { rule, thing, version });
    onDropped();
    return false;
  }

  /** Gives an event a place in the queue, the same one if storing it is repeated. */
  #placed(event: RuleEvent): QueuedEvent {
    const { rule: _rule, body: _body, ...rest } = event;
    const placed = this.#places.get(event) ?? { ...rest, order: this.#nextPlace(), attempts: 0 };
    this.#places.set(event, placed);
    return placed;
  }

  /** Places increase, even if the clock was set back before a restart. */
  #nextPlace(): string {
    this.#lastPlace = Math.max(this.#lastPlace + 1, Math.floor(this.#options.clock.now()) * 1000);
    return String(this.#lastPlace).padStart(17, "0");
  }
}
