import { cursorRows } from "../list/cursor-rows.ts";
import { matchesFilter, parseEventFilter } from "./event-filter.ts";
import type { EventRow, EventRows } from "./event-rows.ts";
import { fetchEventsBack, fetchPosition } from "./journal-api.ts";

/** Events read at once: most of them may not match. */
const pageSize = 500;

/** The events of an id that match a filter, newest first. The whole id is read, page by page, while the list is scrolled. */
export function filteredEventRows(path: string, typed: string): EventRows {
  const filter = parseEventFilter(typed);
  let highest = 0;
  let lowest = 1;
  const list = cursorRows<EventRow>({
    keyOf: ({ sequenceNr }) => String(sequenceNr),
    async fetchPage(cursor, signal) {
      if (cursor === undefined) {
        const position = await fetchPosition(path, signal);
        highest = position.highestSequenceNr;
        lowest = position.lowestSequenceNr;
      }
      const to = cursor === undefined ? highest : Number(cursor);
      if (to < lowest) return { rows: [] };
      const { events, next } = await fetchEventsBack(path, { to, limit: pageSize, signal });
      const rows = events
        .filter((event) => matchesFilter(filter, event))
        .map((event) => ({ sequenceNr: event.sequenceNr, event }));
      return { rows, next: next === undefined ? undefined : String(next) };
    },
  });
  return {
    list,
    close: () => list.close(),
    highest: () => highest,
    lowest: () => lowest,
    arrive(event) {
      if (event.sequenceNr <= highest) return;
      highest = event.sequenceNr;
      if (matchesFilter(filter, event)) list.prepend({ sequenceNr: event.sequenceNr, event });
    },
  };
}
