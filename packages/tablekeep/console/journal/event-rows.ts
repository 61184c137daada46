import { offsetRows } from "../list/offset-rows.ts";
import type { Rows } from "../list/rows.ts";
import { fetchEventsBack, fetchPosition, type IdPosition } from "./journal-api.ts";
import type { ShownEvent } from "./shown-event.ts";

/** A sequence number of an id, and its event if it has one. */
export interface EventRow {
  readonly sequenceNr: number;
  /** undefined where the event was deleted. */
  readonly event?: ShownEvent;
}

/** The events of an id, newest first. */
export interface EventRows {
  readonly list: Rows<EventRow>;
  /** The highest known sequence number; 0 before the first response. */
  highest(): number;
  /** The lowest known sequence number; 1 before the first response. */
  lowest(): number;
  /** Adds a newly appended event on top. */
  arrive(event: ShownEvent): void;
  close(): void;
}

/** Events requested at once: few, because they are large. */
const pageSize = 25;

/** Every sequence number has a row, so that any part of an id of any length can be read at once. */
export function eventRows(path: string): EventRows {
  let highest = 0;
  let lowest = 1;
  let position: Promise<IdPosition> | undefined;
  let hasMissed = false;
  const list = offsetRows<EventRow>({
    keyOf: ({ sequenceNr }) => String(sequenceNr),
    pageSize,
    async fetchCount(signal) {
      position = fetchPosition(path, signal);
      try {
        const found = await position;
        highest = found.highestSequenceNr;
        lowest = found.lowestSequenceNr;
      } finally {
        position = undefined;
      }
      return Math.max(0, highest - lowest + 1);
    },
    async fetchRows({ start, limit }, signal) {
      // While the position is read, rows are counted from the one that is coming.
      const top = position === undefined ? highest : (await position).highestSequenceNr;
      return readBack(path, { to: top - start, limit, signal });
    },
  });
  return {
    list,
    close: () => list.close(),
    highest: () => highest,
    lowest: () => lowest,
    arrive(event) {
      if (event.sequenceNr <= highest) return;
      hasMissed ||= position !== undefined || event.sequenceNr > highest + 1;
      if (position !== undefined) return;
      if (hasMissed) {
        hasMissed = false;
        list.reload();
        return;
      }
      highest = event.sequenceNr;
      list.prepend({ sequenceNr: event.sequenceNr, event });
    },
  };
}

/** Reads until the page is full: the server returns fewer events per page if they are large. */
async function readBack(
  path: string,
  { to, limit, signal }: { readonly to: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<{ readonly rows: readonly EventRow[]; readonly next?: string }> {
  const rows: EventRow[] = [];
  for (let last: number | undefined = to; last !== undefined && last > 0; ) {
    const asked: number = last;
    const page = await fetchEventsBack(path, { to: asked, limit: limit - rows.length, signal });
    const from = page.next === undefined ? (page.events.at(-1)?.sequenceNr ?? asked + 1) : page.next + 1;
    rows.push(...numberedRows(page.events, { from, to: asked }));
    last = page.next;
    if (rows.length >= limit) break;
  }
  const lowestRow = rows.at(-1)?.sequenceNr ?? 1;
  return { rows, next: rows.length >= limit && lowestRow > 1 ? String(lowestRow - 1) : undefined };
}

/** One row per sequence number, from the highest to the lowest. */
function numberedRows(
  events: readonly ShownEvent[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly EventRow[] {
  const byNumber = new Map(events.map((event) => [event.sequenceNr, event]));
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => {
    const sequenceNr = to - at;
    return { sequenceNr, event: byNumber.get(sequenceNr) };
  });
}
