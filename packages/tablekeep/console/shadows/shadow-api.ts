import { ApiError, callApi } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import { parseExact } from "../json/exact-json.ts";

/** A shadow by its name; "" is the classic one. */
export interface ShadowName {
  /** "" is the first store, the one that MQTT reaches. */
  readonly store: string;
  readonly thing: string;
  readonly name: string;
}

/** A row of the list. */
export interface ShadowRow extends ShadowName {
  readonly version: number;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Whether everything desired is reported; undefined until it is read. */
  readonly inSync?: boolean;
}

type Document = Readonly<Record<string, unknown>>;

/** A shadow as the server shows it. */
export interface ShadowView extends ShadowRow {
  readonly clientToken?: string;
  readonly state: { readonly desired?: Document; readonly reported?: Document };
  /** The desired values that are not reported. */
  readonly delta?: Document;
}

/** The stores of shadows; none where the server has no shadows. */
export async function fetchStores(signal: AbortSignal): Promise<readonly string[]> {
  try {
    return (await callApi<{ stores: string[] }>("/api/v3/shadow-stores", { signal })).stores;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

/** The API path of a store. */
export function storePath(store: string): string {
  return store === "" ? "/api/v3" : `/api/v3/shadow-stores/${pathPart(store)}`;
}

export interface ShadowPage {
  readonly rows: readonly ShadowRow[];
  readonly next?: string;
}

export async function fetchShadows(
  store: string,
  { prefix, next, signal }: { prefix: string; next: string | undefined; signal: AbortSignal },
): Promise<ShadowPage> {
  const query = new URLSearchParams({ prefix, next: next ?? "" });
  const path = `${storePath(store)}/shadows?${query}`;
  const page = await callApi<{ shadows: ShadowRow[]; next?: string }>(path, { signal });
  return { rows: page.shadows.map((row) => ({ ...row, store })), next: page.next };
}

/** Shadows that match a query. A page may be empty although more follow. */
export async function searchShadows(
  store: string,
  { query, next, signal }: { query: string; next: string | undefined; signal: AbortSignal },
): Promise<ShadowPage> {
  const path = `${storePath(store)}/shadows?${new URLSearchParams({ query, next: next ?? "" })}`;
  const page = await callApi<{ shadows: ShadowView[]; next?: string }>(path, { signal, parse: parseExact });
  const rows = page.shadows.map(({ thing, name, version, timestamp, delta }) => ({
    store,
    thing,
    name,
    version,
    timestamp,
    inSync: delta === undefined,
  }));
  return { rows, next: page.next };
}

export async function fetchShadow(shadow: ShadowName, signal: AbortSignal): Promise<ShadowView> {
  const view = await callApi<ShadowView>(pathOf(shadow), { signal, parse: parseExact });
  return { ...view, store: shadow.store };
}

/** A half of a shadow: the desired or the reported state. */
export type HalfName = "desired" | "reported";

/** Merges into one half of the state if the shadow still has this version; 0 requires that it does not exist. */
export async function patchHalf(
  shadow: ShadowName,
  half: HalfName,
  patch: Document,
  version: number,
): Promise<ShadowView> {
  const headers: Record<string, string> =
    version === 0 ? { "if-none-match": "*" } : { "if-match": `"${version}"` };
  const call = { method: "PATCH", body: { [half]: patch }, headers, parse: parseExact } as const;
  return { ...(await callApi<ShadowView>(pathOf(shadow), call)), store: shadow.store };
}

export async function deleteShadow(shadow: ShadowName): Promise<void> {
  await callApi(pathOf(shadow), { method: "DELETE" });
}

/** A change in the stream of changes. */
export interface ShadowChange {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly state?: ShadowView["state"];
  readonly delta?: Document;
}

/** A change as used by the list and the detail. */
export function viewOfChange(store: string, change: ShadowChange): ShadowView {
  const { id, name, version, timestamp, state = {}, delta } = change;
  return {
    store,
    thing: id,
    name,
    version,
    timestamp: new Date(timestamp * 1_000).toISOString(),
    state,
    inSync: delta === undefined,
    ...(delta !== undefined && { delta }),
  };
}

/** The API path of a shadow, or of a part of it such as `/history`. */
export function pathOf(
  { store, thing, name }: ShadowName,
  part = "",
  query: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries({ name, ...query }).filter(([, value]) => value !== "");
  const tail = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `${storePath(store)}/shadows/${pathPart(thing)}${part}${tail}`;
}
