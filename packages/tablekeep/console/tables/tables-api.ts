import { callApi } from "../api/call-api.ts";
import type { ItemsPage, KeyFact, TableFacts, WireItem } from "./table-facts.ts";

const base = "/api/v3/tables";

export async function fetchTables(
  after: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly string[]; readonly next?: string }> {
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

/** Changes an item if it is still `from`; null is no item. */
export async function changeItem({
  table,
  from,
  to,
}: {
  readonly table: string;
  readonly from: WireItem | null;
  readonly to: WireItem | null;
}): Promise<void> {
  await callApi(`${base}/${encodeURIComponent(table)}/change`, { method: "POST", body: { from, to } });
}

export async function createTable(table: {
  readonly name: string;
  readonly partitionKey: KeyFact;
  readonly sortKey?: KeyFact;
}): Promise<void> {
  await callApi(base, { method: "POST", body: table });
}

export async function deleteTable(name: string): Promise<void> {
  await callApi(`${base}/${encodeURIComponent(name)}`, { method: "DELETE" });
}
