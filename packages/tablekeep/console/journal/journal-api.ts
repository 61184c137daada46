import { callApi } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import type { PayloadForm, ShownEvent } from "./shown-event.ts";

/** A journal that the server offers. */
export interface JournalFacts {
  readonly name: string;
  readonly table: string;
  readonly layout: string;
  readonly snapshotTable: string;
  /** Whether it was found in the folder, and is read-only. */
  readonly discovered?: true;
  /** The types of entities that the server has definitions of. @default none */
  readonly entities?: readonly string[];
}

/** An entity, by the type of its definition and the id of the application. */
export interface EntityAddress {
  readonly type: string;
  readonly id: string;
}

/** A state that the server rebuilt by the definition of its entity. */
export interface EntityState {
  readonly entity: EntityAddress;
  readonly sequenceNr: number;
  readonly state: unknown;
}

/** A snapshot without its state. */
export interface SnapshotEntry {
  readonly sequenceNr: number;
  readonly timestamp: number;
}

export interface ShownSnapshot extends SnapshotEntry {
  readonly state: unknown;
  readonly stateForm: PayloadForm;
  readonly serializerId: number;
  readonly metadata: unknown;
}

/** The position of an id. */
export interface IdPosition {
  readonly highestSequenceNr: number;
  readonly lowestSequenceNr: number;
}

export async function fetchJournals(signal: AbortSignal): Promise<readonly JournalFacts[]> {
  const { journals } = await callApi<{ journals: JournalFacts[] }>("/api/v3/journals", { signal });
  return journals;
}

/** The path of an id in the API. */
export function idPath(journal: string, id: string): string {
  return `/api/v3/journals/${pathPart(journal)}/ids/${pathPart(id)}`;
}

export async function fetchIds(
  journal: string,
  {
    prefix,
    after,
    limit = 1_000,
    signal,
  }: { prefix: string; after: string | undefined; limit?: number; signal: AbortSignal },
): Promise<{ readonly rows: readonly string[]; readonly next?: string; readonly scan?: true }> {
  const query = new URLSearchParams({ prefix, after: after ?? "", limit: String(limit) });
  const path = `/api/v3/journals/${pathPart(journal)}/ids?${query}`;
  const { ids, next, scan } = await callApi<{ ids: string[]; next?: string; scan?: true }>(path, { signal });
  return { rows: ids, next, scan };
}

export function fetchPosition(path: string, signal: AbortSignal): Promise<IdPosition> {
  return callApi<IdPosition>(path, { signal });
}

export interface EventPage {
  readonly events: readonly ShownEvent[];
  readonly next?: number;
}

/** Events from a sequence number down. */
export function fetchEventsBack(
  path: string,
  { to, limit, signal }: { to: number; limit: number; signal: AbortSignal },
): Promise<EventPage> {
  return callApi<EventPage>(`${path}/events?order=desc&to=${to}&limit=${limit}`, { signal });
}

/** The last event of an id; undefined if it has none. */
export async function fetchLastEvent(path: string, signal: AbortSignal): Promise<ShownEvent | undefined> {
  return (await callApi<EventPage>(`${path}/events?order=desc&limit=1`, { signal })).events[0];
}

/** Events from a sequence number up. */
export function fetchEvents(
  path: string,
  { from, limit, signal }: { from: number; limit: number; signal: AbortSignal },
): Promise<EventPage> {
  return callApi<EventPage>(`${path}/events?from=${from}&limit=${limit}`, { signal });
}

/** Finds the last event at or before a time, in milliseconds; the first one if all are later. Times must ascend. */
export async function findByTime(path: string, time: number, signal: AbortSignal): Promise<number> {
  const { lowestSequenceNr, highestSequenceNr } = await fetchPosition(path, signal);
  let found = lowestSequenceNr;
  for (let [low, high] = [lowestSequenceNr, highestSequenceNr]; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const { events } = await fetchEvents(path, { from: middle, limit: 1, signal });
    const event = events[0];
    if (event === undefined || event.timestamp > time) high = middle - 1;
    else {
      found = event.sequenceNr;
      low = event.sequenceNr + 1;
    }
  }
  return found;
}

const maxSnapshots = 5_000;

/** The snapshots of an id, newest first. */
export async function fetchSnapshots(path: string, signal: AbortSignal): Promise<readonly SnapshotEntry[]> {
  const found: SnapshotEntry[] = [];
  let from: number | undefined = 0;
  while (from !== undefined && found.length < maxSnapshots) {
    const page: { snapshots: SnapshotEntry[]; next?: number } = await callApi(
      `${path}/snapshots?limit=1000&from=${from}`,
      { signal },
    );
    found.push(...page.snapshots);
    from = page.next;
  }
  return found.reverse();
}

/** The state of an id after an event, by the definition of its entity. */
export function fetchState(path: string, at: number, signal: AbortSignal): Promise<EntityState> {
  return callApi<EntityState>(`${path}/state?at=${at}`, { signal });
}

export function fetchSnapshot(path: string, sequenceNr: number, signal: AbortSignal): Promise<ShownSnapshot> {
  return callApi<ShownSnapshot>(`${path}/snapshots/${sequenceNr}`, { signal });
}
