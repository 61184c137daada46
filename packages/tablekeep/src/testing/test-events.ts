import { unwrap } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { type Journal, type JournalEvent, journalTableSpec } from "@tablekeep/journal";
import { differences, printed } from "./differences.ts";
import { type WaitLimits, waitUntil } from "./wait-until.ts";

/** Which event to wait for. */
export interface EventWait extends WaitLimits {
  /** The sequence number after which to begin. @default 0: all events */
  readonly after?: number;
}

/** What a test expects of a payload. */
export type WantedPayload = object | string | number | boolean | null;

/** The events of one persistence id. */
export interface TestEvents<Event = unknown> {
  readonly id: string;
  /**
   * Returns all events, in order.
   *
   * @example
   * const [first] = await t.events("cart-1").read();
   */
  read(): Promise<readonly JournalEvent<Event>[]>;
  /**
   * Appends one event for each payload, in one atomic write. Returns the last sequence number.
   *
   * @example
   * await t.events("cart-1").append({ type: "added", sku: "apple" }, { type: "paid" });
   */
  append(...payloads: Event[]): Promise<number>;
  /**
   * Returns the first event that fits, whether it was stored before this call or comes later: by its payload, of which members
   * that are not named do not count, or by a function.
   *
   * @example
   * const { sequenceNr } = await t.events("cart-1").waitFor({ type: "paid" });
   */
  waitFor(
    wanted: WantedPayload | ((event: JournalEvent<Event>) => boolean),
    wait?: EventWait,
  ): Promise<JournalEvent<Event>>;
}

/** Where the events are. */
export interface TestEventsOptions<Event> {
  readonly engine: Engine;
  readonly journal: () => Promise<Journal<Event>>;
  /** The journal's table. @default the journal's default */
  readonly table?: string;
  readonly id: string;
  /** Ends all waits. */
  readonly signal: AbortSignal;
}

export function testEvents<Event>(options: TestEventsOptions<Event>): TestEvents<Event> {
  const { engine, journal, id, signal: ended } = options;
  const { name: table } = journalTableSpec({ table: options.table });
  const read = async (from = 1) => {
    const events: JournalEvent<Event>[] = [];
    for await (const event of (await journal()).replay(id, { from, signal: ended })) events.push(event);
    return events;
  };
  return {
    id,
    read: () => read(),
    async append(...payloads) {
      const events = payloads.map((payload) => ({ payload }));
      return unwrap(await (await journal()).append(id, events, { signal: ended })).last;
    },
    waitFor(wanted, { after = 0, timeoutMs, signal } = {}) {
      const fits = wanted as (event: JournalEvent<Event>) => boolean;
      const misses = (event: JournalEvent<Event>) =>
        typeof wanted === "function" ? (fits(event) ? [] : [""]) : differences(wanted, event.payload);
      const seen: string[] = [];
      let last = after;
      const find = async () => {
        for (const event of await read(last + 1)) {
          const found = misses(event);
          if (found.length === 0) return event;
          seen.push(`event ${event.sequenceNr} ${printed(event.payload)}: ${found.join("; ")}`);
          last = event.sequenceNr;
        }
        return undefined;
      };
      const waitedFor = `event of ${id} ${typeof wanted === "function" ? "that fits" : `with ${printed(wanted)}`}`;
      const limits = { timeoutMs, signal: signal === undefined ? ended : AbortSignal.any([ended, signal]) };
      const onChange = (wake: () => void) => engine.watch(table, wake);
      return waitUntil({ find, onChange, waitedFor, seen: () => seen }, limits);
    },
  };
}
