import { callApi } from "../api/call-api.ts";
import type { ItemsPage, TableFacts, WireItem } from "./table-facts.ts";

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
