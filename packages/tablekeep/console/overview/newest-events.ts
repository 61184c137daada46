import { ApiError, callApi } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import { type LastEvent, lastOf } from "../journal/id-rows.ts";
import { fetchIds, fetchLastEvent, idPath } from "../journal/journal-api.ts";
import type { FeedEvent, FeedFacts } from "../journal/use-feed.ts";

/** One of the newest events. */
export interface NewestEvent extends LastEvent {
  readonly journal: string;
  readonly id: string;
}

/** The newest events of some journals, and what was left unread. */
export interface NewestEvents {
  readonly events: readonly NewestEvent[];
  /** Whether there are more journals than are read. */
  readonly hasMoreJournals: boolean;
  /** Whether a journal without a running feed has more ids than are read. */
  readonly hasMoreIds: boolean;
}

/** Journals that are read, ids of each, and events that are shown. */
export const maxJournals = 3;
export const idsOfEachJournal = 20;
const maxEvents = 5;
/** An idle feed is checked once a minute, and seems behind until then. One that is further behind lacks the newest events. In milliseconds. */
const maxLagMs = 150_000;

/** The first ids of journals that the server scans a table for: they are read once. */
export type ScannedIds = Map<string, Awaited<ReturnType<typeof fetchIds>>>;

/**
 * The newest events of some journals. A journal has no order across its ids, so without a feed the last events of its first ids are compared.
 */
export async function fetchNewestEvents(
  journals: readonly string[],
  scanned: ScannedIds,
  signal: AbortSignal,
): Promise<NewestEvents> {
  const read = await Promise.all(
    journals
      .slice(0, maxJournals)
      .map(async (name) => (await feedEvents(name, signal)) ?? lastEvents(name, scanned, signal)),
  );
  return {
    events: read
      .flatMap(({ events }) => events)
      .toSorted((one, other) => other.timestamp - one.timestamp || other.sequenceNr - one.sequenceNr)
      .slice(0, maxEvents),
    hasMoreJournals: journals.length > maxJournals,
    hasMoreIds: read.some(({ isComplete }) => !isComplete),
  };
}

interface ReadEvents {
  readonly events: readonly NewestEvent[];
  /** Whether events of all ids were compared. */
  readonly isComplete: boolean;
}

/** The newest events of a journal's feed; undefined if none runs, or if they cannot be read. */
async function feedEvents(journal: string, signal: AbortSignal): Promise<ReadEvents | undefined> {
  const path = `/api/v3/journals/${pathPart(journal)}/feed`;
  try {
    const { state, lease, lagMs = Number.POSITIVE_INFINITY } = await callApi<FeedFacts>(path, { signal });
    if (state !== "live" || lease === undefined || lagMs > maxLagMs) return undefined;
    const { events, more } = await callApi<{ events: FeedEvent[]; more: boolean }>(
      `${path}/events?last=${maxEvents}&limit=1000`,
      { signal },
    );
    if (more) return undefined;
    return {
      events: events.map((event) => ({ journal, id: event.persistenceId, ...lastOf(event) })),
      isComplete: true,
    };
  } catch (error) {
    if (error instanceof ApiError && error.status > 0) return undefined;
    throw error;
  }
}

async function lastEvents(journal: string, scanned: ScannedIds, signal: AbortSignal): Promise<ReadEvents> {
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
