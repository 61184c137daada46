import type { Rollout } from "@tablekeep/shadow";
import {
  type Connectivity,
  connectivityDocument,
  type DocumentObject,
  type FoundShadow,
  type HistoryPage,
  type HistoryPoint,
  type ListedRow,
  printJson,
  type SearchPage,
  type ValueChange,
} from "@tablekeep/shadow";

/** A shadow as shown by our own API, as a string and not as an object, because numbers of any size stay exact. */
export function viewJson(view: FoundShadow): string {
  return printJson(viewDocument(view));
}

function viewDocument(view: FoundShadow): DocumentObject {
  const { id, name, version, timeStamp, clientToken, state, delta, connectivity } = view;
  return {
    thing: id,
    name,
    version,
    timestamp: isoTime(timeStamp),
    ...(clientToken !== "" && { clientToken }),
    state: state as DocumentObject,
    ...(delta !== undefined && { delta }),
    ...(connectivity !== undefined && { connectivity: connectivityDocument(connectivity) }),
  };
}

/** Whether a thing is connected. One that never connected is not. */
export function connectivityJson(connectivity: Connectivity | undefined): string {
  return printJson(connectivity === undefined ? { connected: false } : connectivityDocument(connectivity));
}

/** A page of a search. */
export function searchJson({ shadows, token }: SearchPage): string {
  return printJson({ shadows: shadows.map(viewDocument), ...(token !== undefined && { next: token }) });
}

function changeDocument({ half, path, kind, before, after }: ValueChange): DocumentObject {
  return {
    path: `/${half}${path}`,
    kind,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

/** The difference of two versions. */
export function changesJson(changes: readonly ValueChange[]): string {
  return printJson({ changes: changes.map(changeDocument) });
}

/** An entry of a history. */
export function entryDocument(entry: HistoryPage["entries"][number]): DocumentObject {
  const { kind, version, timeStamp, clientToken, gap, changes } = entry;
  return {
    kind,
    version,
    timestamp: isoTime(timeStamp),
    ...(clientToken !== "" && { clientToken }),
    gap,
    changes: changes.map(changeDocument),
  };
}

/** A page of a history. */
export function historyJson({ entries, gap, token }: HistoryPage): string {
  return printJson({
    entries: entries.map(entryDocument),
    gap,
    ...(token !== undefined && { next: token }),
  });
}

/** Parses a version or a time in ISO 8601; returns undefined for anything else. */
export function parsePoint(given: string): HistoryPoint | undefined {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const time = /^\d{4}-\d\d-\d\d/.test(given) ? new Date(given) : undefined;
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time;
}

/** A row of the list. */
export function rowJson({ id, name, kind, version, timeStamp }: ListedRow): object {
  return { thing: id, name, kind, version, timestamp: isoTime(timeStamp) };
}

function isoTime(nanoseconds: bigint): string {
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString();
}

/** A rollout as our own API and the command line show it. */
export function rolloutDocument(rollout: Rollout): DocumentObject {
  const { name, query, shadow, desired, gate, phase, reason, wave, waves, createdAt } = rollout;
  return {
    name,
    phase,
    ...(reason !== undefined && { reason }),
    wave,
    waves,
    query,
    shadow,
    desired,
    gate: { ...gate },
    createdAt: new Date(createdAt).toISOString(),
  };
}
