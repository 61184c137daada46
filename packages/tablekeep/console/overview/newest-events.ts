import { type LastEvent, lastOf } from "../journal/id-rows.ts";
import { fetchIds, fetchLastEvent, idPath } from "../journal/journal-api.ts";

/** The last event of an id. */
export interface NewestEvent extends LastEvent {
  readonly journal: string;
  readonly id: string;
}

/** Journals that are read, ids of each, and events that are shown. */
const maxJournals = 3;
export const idsOfEachJournal = 20;
const maxEvents = 5;

/** The first ids of journals that the server scans a table for: they are read once. */
export type ScannedIds = Map<string, Awaited<ReturnType<typeof fetchIds>>>;

/**
 * The newest events of some journals, of different ids. A journal has no order across its ids, so the last events of its first
 * ids are compared; `isComplete` if there are no others.
 */
export async function fetchNewestEvents(
  journals: readonly string[],
  scanned: ScannedIds,
  signal: AbortSignal,
): Promise<{ readonly events: readonly NewestEvent[]; readonly isComplete: boolean }> {
  const read = await Promise.all(
    journals.slice(0, maxJournals).map((journal) => lastEvents(journal, scanned, signal)),
  );
  return {
    events: read
      .flatMap(({ events }) => events)
      .toSorted((one, other) => other.timestamp - one.timestamp)
      .slice(0, maxEvents),
    isComplete: journals.length <= maxJournals && read.every(({ isComplete }) => isComplete),
  };
}

async function lastEvents(journal: string, scanned: ScannedIds, signal: AbortSignal) {
  const limit = idsOfEachJournal;
  const page =
    scanned.get(journal) ?? (await fetchIds(journal, { prefix: "", after: undefined, limit, signal }));
  if (page.scan) scanned.set(journal, page);
  const { rows, next } = page;
  const events = await Promise.all(
    rows.map(async (id): Promise<readonly NewestEvent[]> => {
      const event = await fetchLastEvent(idPath(journal, id), signal);
      return event === undefined ? [] : [{ journal, id, ...lastOf(event) }];
    }),
  );
  return { events: events.flat(), isComplete: next === undefined };
}
