import { type CursorRows, cursorRows } from "../list/cursor-rows.ts";
import { eventType } from "./event-type.ts";
import { fetchIds, fetchLastEvent, idPath } from "./journal-api.ts";
import type { ShownEvent } from "./shown-event.ts";

/** The last event of an id, in short. */
export interface LastEvent {
  readonly sequenceNr: number;
  readonly type: string;
  readonly timestamp: number;
}

/** A persistence id of the list. */
export interface IdRow {
  readonly id: string;
  /** Undefined until it is read. */
  readonly last?: LastEvent;
  /** Increases each time the list is read. */
  readonly round: number;
}

/** Ids that are read and sorted at once. DynamoDB has no order of partition keys. */
export const sortedIds = 5_000;

/** Ids of a journal. The first {@link sortedIds} are sorted; of more, each group that is read is sorted. */
export function idRows(journal: string, prefix: string): CursorRows<IdRow> {
  let round = 0;
  return cursorRows<IdRow>({
    keyOf: ({ id }) => id,
    async fetchPage(cursor, signal) {
      if (cursor === undefined) round++;
      const ids: string[] = [];
      let after = cursor;
      do {
        const page = await fetchIds(journal, { prefix, after, signal });
        ids.push(...page.rows);
        after = page.next;
      } while (after !== undefined && ids.length < sortedIds);
      const rows = ids.sort(compareIds).map((id) => ({ id, round }));
      return { rows, next: after };
    },
  });
}

/** Numbers inside ids count as numbers: `cart-9` is before `cart-10`. */
const compareIds = new Intl.Collator("en", { numeric: true }).compare;

/** Milliseconds that a row must be visible before its last event is read: a fast scroll reads none. */
const restMs = 120;

/** Reads the last event of an id; null if it has none. */
export async function fetchLast(journal: string, id: string, signal: AbortSignal): Promise<LastEvent | null> {
  await new Promise((resolve) => setTimeout(resolve, restMs));
  signal.throwIfAborted();
  const event = await fetchLastEvent(idPath(journal, id), signal);
  return event === undefined ? null : lastOf(event);
}

export function lastOf(event: ShownEvent): LastEvent {
  return { sequenceNr: event.sequenceNr, type: eventType(event), timestamp: event.timestamp };
}
