import { callApi } from "../api/call-api.ts";
import { parseExact } from "../json/exact-json.ts";

/** A shadow by its name; "" is the classic one. */
export interface ShadowName {
  readonly thing: string;
  readonly name: string;
}

/** A row of the list. */
export interface ShadowRow extends ShadowName {
  readonly version: number;
  /** ISO 8601. */
  readonly timestamp: string;
}

type Document = Readonly<Record<string, unknown>>;

/** A shadow as the server shows it. */
export interface ShadowView extends ShadowRow {
  readonly clientToken?: string;
  readonly state: { readonly desired?: Document; readonly reported?: Document };
  /** What is desired and not reported. */
  readonly delta?: Document;
}

export interface ShadowPage {
  readonly rows: readonly ShadowRow[];
  readonly next?: string | undefined;
}

export async function fetchShadows(
  prefix: string,
  next: string | undefined,
  signal: AbortSignal,
): Promise<ShadowPage> {
  const query = new URLSearchParams({ prefix, next: next ?? "" });
  const page = await callApi<{ shadows: ShadowRow[]; next?: string }>(`/api/v3/shadows?${query}`, { signal });
  return { rows: page.shadows, next: page.next };
}

export function fetchShadow(shadow: ShadowName, signal: AbortSignal): Promise<ShadowView> {
  return callApi<ShadowView>(pathOf(shadow), { signal, parse: parseExact });
}

/** Merges into what is desired, if the shadow still has this version; 0 if there must be none. */
export function desire(shadow: ShadowName, patch: Document, version: number): Promise<ShadowView> {
  const headers: Record<string, string> =
    version === 0 ? { "if-none-match": "*" } : { "if-match": `"${version}"` };
  return callApi<ShadowView>(pathOf(shadow), {
    method: "PATCH",
    body: { desired: patch },
    headers,
    parse: parseExact,
  });
}

export async function deleteShadow(shadow: ShadowName): Promise<void> {
  await callApi(pathOf(shadow), { method: "DELETE" });
}

/** What the stream of changes tells of one. */
export interface ShadowChange {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly state?: ShadowView["state"];
  readonly delta?: Document;
}

/** A change as the list and the detail know it. */
export function viewOfChange({ id, name, version, timestamp, state = {}, delta }: ShadowChange): ShadowView {
  return {
    thing: id,
    name,
    version,
    timestamp: new Date(timestamp * 1_000).toISOString(),
    state,
    ...(delta !== undefined && { delta }),
  };
}

function pathOf({ thing, name }: ShadowName): string {
  const query = name === "" ? "" : `?${new URLSearchParams({ name })}`;
  return `/api/v3/shadows/${encodeURIComponent(thing)}${query}`;
}
