import { type CursorRows, cursorRows } from "../list/cursor-rows.ts";
import { compareNames, sortedPages, visibleForAMoment } from "../list/sorted-pages.ts";
import { fetchIds, fetchLastEvent, idPath } from "./journal-api.ts";
import type { ShownEvent } from "./shown-event.ts";
import { eventType } from "./shown-event.ts";

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

/** The ids of a journal. */
export interface IdRows extends CursorRows<IdRow> {
  /** Whether the server scans the table for them, which costs too much to repeat unasked. */
  isScan(): boolean;
}

/** The ids of a journal, sorted. */
export function idRows(journal: string, prefix: string): IdRows {
  let round = 0;
  let isScan = false;
  const rows = cursorRows<IdRow>({
    keyOf: ({ id }) => id,
    fetchPage: sortedPages(
      async (after, signal) => {
        if (after === undefined) round++;
        const page = await fetchIds(journal, { prefix, after, signal });
        isScan = page.scan === true;
        return { ...page, rows: page.rows.map((id) => ({ id, round })) };
      },
      (one, other) => compareNames(one.id, other.id),
    ),
  });
  return { ...rows, isScan: () => isScan };
}

/** Reads the last event of an id; null if it has none. */
export async function fetchLast(journal: string, id: string, signal: AbortSignal): Promise<LastEvent | null> {
  await visibleForAMoment(signal);
  const event = await fetchLastEvent(idPath(journal, id), signal);
  return event === undefined ? null : lastOf(event);
}

/** An event in short. For an unreadable one, its error is shown. */
export function lastOf(event: ShownEvent & { readonly error?: { readonly code: string } }): LastEvent {
  if (event.error !== undefined)
    return { sequenceNr: event.sequenceNr, type: event.error.code, timestamp: 0 };
  return { sequenceNr: event.sequenceNr, type: eventType(event), timestamp: event.timestamp };
}
