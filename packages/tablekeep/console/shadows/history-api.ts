import { callApi } from "../api/call-api.ts";
import { parseExact } from "../json/exact-json.ts";
import { pathOf, type ShadowName, type ShadowView } from "./shadow-api.ts";

/** One value that a version changed. */
export interface ValueChange {
  /** A JSON pointer, such as `/reported/on`. */
  readonly path: string;
  readonly kind: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** One version of a shadow. */
export interface HistoryEntry {
  readonly kind: string;
  readonly version: number;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly clientToken?: string;
  /** Whether versions before it are missing. */
  readonly gap: boolean;
  readonly changes: readonly ValueChange[];
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** Whether the shadow is newer than its newest entry. */
  readonly gap: boolean;
  readonly next?: string;
}

const pageSize = "50";

/** Versions, newest first. */
export function fetchHistory(shadow: ShadowName, next: string, signal: AbortSignal): Promise<HistoryPage> {
  const path = pathOf(shadow, "/history", { limit: pageSize, next });
  return callApi<HistoryPage>(path, { signal, parse: parseExact });
}

/** The shadow at a version, or at a time in ISO 8601. */
export function fetchAt(shadow: ShadowName, point: string, signal: AbortSignal): Promise<ShadowView> {
  return callApi<ShadowView>(pathOf(shadow, "/at", { point }), { signal, parse: parseExact });
}
