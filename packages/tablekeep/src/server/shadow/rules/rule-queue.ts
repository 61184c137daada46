import type { QueuedEvent } from "./rule-items.ts";

/** An event in the queue. */
interface Waiting {
  event: QueuedEvent;
  /** Not before this time, on the monotonic clock; 0 for an event that has not failed. */
  dueAt: number;
}

/** The next event to deliver, or how long to wait for one. */
export type Next = { readonly event: QueuedEvent } | { readonly at: number } | undefined;

/**
 * The waiting events of one rule, in memory and without their bodies. The events of one shadow are delivered one after the other; those of
 * different shadows do not wait for each other.
 */
export class RuleQueue {
  /** By place, the oldest first. */
  readonly #all = new Map<string, Waiting>();
  readonly #ids = new Set<string>();
  /** By shadow. The first one is next. */
  readonly #lanes = new Map<string, Waiting[]>();
  readonly #busy = new Set<string>();

  get size(): number {
    return this.#all.size;
  }

  /** The number of events being delivered. */
  get inFlight(): number {
    return this.#busy.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Whether an event with this place is waiting. */
  hasPlace(order: string): boolean {
    return this.#all.has(order);
  }

  add(event: QueuedEvent): void {
    const waiting = { event, dueAt: 0 };
    this.#all.set(event.order, waiting);
    this.#ids.add(event.id);
    const lane = this.#lanes.get(laneOf(event));
    if (lane === undefined) this.#lanes.set(laneOf(event), [waiting]);
    else lane.push(waiting);
  }

  /** Returns the next event: the first one of a shadow without an event in flight, those that have not failed first. */
  next(now: number): Next {
    let first: Waiting | undefined;
    for (const [lane, [head]] of this.#lanes) {
      if (head === undefined || this.#busy.has(lane)) continue;
      if (head.dueAt === 0) return { event: head.event };
      if (first === undefined || head.dueAt < first.dueAt) first = head;
    }
    if (first === undefined) return undefined;
    return first.dueAt <= now ? { event: first.event } : { at: first.dueAt };
  }

  /** Marks an event as in flight, until it is removed or failed. */
  begin(event: QueuedEvent): void {
    const lane = laneOf(event);
    this.#busy.add(lane);
    // The other shadows are next.
    const waiting = this.#lanes.get(lane) ?? [];
    this.#lanes.delete(lane);
    this.#lanes.set(lane, waiting);
  }

  /** The event stays at the head of its shadow. */
  failed(event: QueuedEvent, dueAt: number): void {
    this.#busy.delete(laneOf(event));
    const waiting = this.#all.get(event.order);
    if (waiting !== undefined) Object.assign(waiting, { event, dueAt });
  }

  remove(event: QueuedEvent): void {
    const name = laneOf(event);
    this.#busy.delete(name);
    this.#all.delete(event.order);
    this.#ids.delete(event.id);
    const lane = this.#lanes.get(name) ?? [];
    const at = lane.findIndex(({ event: { order } }) => order === event.order);
    if (at >= 0) lane.splice(at, 1);
    if (lane.length === 0) this.#lanes.delete(name);
  }

  /** The oldest event that is not in flight. */
  oldest(): QueuedEvent | undefined {
    for (const { event } of this.#all.values()) if (!this.#busy.has(laneOf(event))) return event;
    return undefined;
  }
}

function laneOf({ thing, name }: QueuedEvent): string {
  return JSON.stringify([thing, name]);
}
