import { callApi } from "../api/call-api.ts";

export interface KeyFact {
  readonly name: string;
  readonly type: "S" | "N" | "B";
}

interface KeyFacts {
  readonly partition: KeyFact;
  readonly sort?: KeyFact;
}

export interface IndexFacts extends KeyFacts {
  readonly name: string;
  readonly kind: "global" | "local";
  readonly status: string;
  readonly projection: "all" | "keys" | readonly string[];
  readonly itemCount: number;
  readonly sizeBytes: number;
}

export interface TableFacts extends KeyFacts {
  readonly name: string;
  readonly status: string;
  readonly itemCount: number;
  readonly sizeBytes: number;
  readonly billing: "on-demand" | "provisioned";
  readonly indexes: readonly IndexFacts[];
  /** What the server asked of it since it started; capacity only where it is paid for. */
  readonly used: {
    readonly requests: number;
    readonly failures: number;
    readonly readUnits?: number;
    readonly writeUnits?: number;
  };
  /** What this API took of it. */
  readonly browsed: { readonly readUnits: number };
}

/** An attribute in DynamoDB's JSON: `{ "S": "text" }`. */
export type WireValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, WireValue>>;

export interface ItemsPage {
  readonly items: readonly WireItem[];
  readonly scanned: number;
  readonly readUnits: number;
  readonly next?: string;
}

const base = "/api/v3/tables";

export async function fetchTables(
  after: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly string[]; readonly next?: string | undefined }> {
  const query = new URLSearchParams({ after: after ?? "" });
  const { tables, next } = await callApi<{ tables: string[]; next?: string }>(`${base}?${query}`, { signal });
  return { rows: tables, next };
}

export function fetchTable(name: string, signal: AbortSignal): Promise<TableFacts> {
  return callApi<TableFacts>(`${base}/${encodeURIComponent(name)}`, { signal });
}

export function fetchItems(table: string, query: URLSearchParams, signal: AbortSignal): Promise<ItemsPage> {
  return callApi<ItemsPage>(`${base}/${encodeURIComponent(table)}/items?${query}`, { signal });
}

export function fetchItem(
  table: string,
  key: string,
  signal: AbortSignal,
): Promise<{ readonly item: WireItem; readonly readUnits: number }> {
  const query = new URLSearchParams({ key });
  return callApi(`${base}/${encodeURIComponent(table)}/item?${query}`, { signal });
}
