import { callApi } from "../api/call-api.ts";

/** A journal that the server offers. */
export interface JournalFacts {
  readonly name: string;
  readonly table: string;
  readonly layout: string;
  readonly snapshotTable: string;
  /** Whether it was found in the folder, and is only read. */
  readonly discovered?: true;
}

/** How a payload or a state came: bytes are base64, `unknown` is what no codec of the server reads. */
export type PayloadForm = "json" | "bytes" | "unknown";

/** An event as the server shows it. */
export interface ShownEvent {
  readonly id: string;
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly payload: unknown;
  readonly payloadForm: PayloadForm;
  /** Why the payload, then null, is not there any more. */
  readonly gone?: "forgotten" | "expired";
  readonly serializerId: number;
  readonly manifest: string;
  readonly writerUuid: string;
  /** Milliseconds since 1970; 0 where it is not known. */
  readonly timestamp: number;
  readonly tags: readonly string[];
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly metadata?: unknown;
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
export interface Position {
  readonly highestSequenceNr: number;
  readonly lowestSequenceNr: number;
}

export async function fetchJournals(signal: AbortSignal): Promise<readonly JournalFacts[]> {
  const { journals } = await callApi<{ journals: JournalFacts[] }>("/api/v3/journals", { signal });
  return journals;
}

/** The path of an id in the API. */
export function idPath(journal: string, id: string): string {
  return `/api/v3/journals/${encodeURIComponent(journal)}/ids/${encodeURIComponent(id)}`;
}

export async function fetchIds(
  journal: string,
  { prefix, after, signal }: { prefix: string; after: string | undefined; signal: AbortSignal },
): Promise<{ readonly rows: readonly string[]; readonly next?: string }> {
  const query = new URLSearchParams({ prefix, after: after ?? "" });
  const path = `/api/v3/journals/${encodeURIComponent(journal)}/ids?${query}`;
  const { ids, next } = await callApi<{ ids: string[]; next?: string }>(path, { signal });
  return { rows: ids, next };
}

export function fetchPosition(path: string, signal: AbortSignal): Promise<Position> {
  return callApi<Position>(path, { signal });
}

export interface EventPage {
  readonly events: readonly ShownEvent[];
  readonly next?: number;
}

/** Events from a number down. */
export function fetchEventsBack(
  path: string,
  { to, limit, signal }: { to: number; limit: number; signal: AbortSignal },
): Promise<EventPage> {
  return callApi<EventPage>(`${path}/events?order=desc&to=${to}&limit=${limit}`, { signal });
}

const mostSnapshots = 5_000;

/** The snapshots of an id, the newest first. */
export async function fetchSnapshots(path: string, signal: AbortSignal): Promise<readonly SnapshotEntry[]> {
  const found: SnapshotEntry[] = [];
  let from: number | undefined = 0;
  while (from !== undefined && found.length < mostSnapshots) {
    const page: { snapshots: SnapshotEntry[]; next?: number } = await callApi(
      `${path}/snapshots?limit=1000&from=${from}`,
      { signal },
    );
    found.push(...page.snapshots);
    from = page.next;
  }
  return found.reverse();
}

export function fetchSnapshot(path: string, sequenceNr: number, signal: AbortSignal): Promise<ShownSnapshot> {
  return callApi<ShownSnapshot>(`${path}/snapshots/${sequenceNr}`, { signal });
}
