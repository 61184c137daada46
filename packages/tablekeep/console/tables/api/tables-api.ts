import { callApi } from "../../api/call-api.ts";
import { pathPart } from "../../api/path-part.ts";
import type { ItemsPage, KeyFact, TableFacts, WireItem, WireValue } from "./table-facts.ts";

const base = "/api/v3/tables";

export async function fetchTables(
  after: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly string[]; readonly next?: string }> {
  const query = new URLSearchParams({ after: after ?? "" });
  const { tables, next } = await callApi<{ tables: string[]; next?: string }>(`${base}?${query}`, { signal });
  return { rows: tables, next };
}

/** Pages of the tables whose names contain a text, ignoring case. A page may be empty although more follow. */
export function tablesNamed(text: string): typeof fetchTables {
  const part = text.toLowerCase();
  return async (after, signal) => {
    const { rows, next } = await fetchTables(after, signal);
    return { rows: rows.filter((name) => name.toLowerCase().includes(part)), next };
  };
}

export function fetchTable(name: string, signal: AbortSignal): Promise<TableFacts> {
  return callApi<TableFacts>(`${base}/${pathPart(name)}`, { signal });
}

export function fetchItems(table: string, query: URLSearchParams, signal: AbortSignal): Promise<ItemsPage> {
  return callApi<ItemsPage>(`${base}/${pathPart(table)}/items?${query}`, { signal });
}

export function fetchItem(
  table: string,
  key: string,
  signal: AbortSignal,
): Promise<{ readonly item: WireItem; readonly readUnits: number }> {
  const query = new URLSearchParams({ key });
  return callApi(`${base}/${pathPart(table)}/item?${query}`, { signal });
}

/** Changes an item if it is still `from`; null means that there is none. */
export async function changeItem({
  table,
  from,
  to,
}: {
  readonly table: string;
  readonly from: WireItem | null;
  readonly to: WireItem | null;
}): Promise<void> {
  await callApi(`${base}/${pathPart(table)}/change`, { method: "POST", body: { from, to } });
}

export async function createTable(table: {
  readonly name: string;
  readonly partitionKey: KeyFact;
  readonly sortKey?: KeyFact;
}): Promise<void> {
  await callApi(base, { method: "POST", body: table });
}

/** A new index. */
export interface NewIndex {
  readonly name: string;
  readonly partitionKey: KeyFact;
  readonly sortKey?: KeyFact;
  readonly projection: "all" | "keys" | readonly string[];
}

/** One change to a table: DynamoDB makes one at a time. */
export type TableChange =
  | { readonly createIndex: NewIndex }
  | { readonly deleteIndex: string }
  | { readonly stream: string | null }
  | { readonly timeToLive: string | null };

/** The id of a change in a response, if it can be undone. */
interface Undoable {
  readonly undo?: string;
}

const undoQuery = (undo: string | undefined) =>
  undo === undefined ? "" : `?${new URLSearchParams({ undo })}`;

/** Changes a table; `undo` is the id to undo that by. */
export function changeTable(name: string, change: TableChange, undo?: string): Promise<Undoable> {
  return callApi(`${base}/${pathPart(name)}${undoQuery(undo)}`, { method: "PATCH", body: change });
}

/** Undoes a part of a change. */
export function undoChange(
  id: string,
): Promise<{ readonly undone: number; readonly kept: number; readonly left: number }> {
  return callApi(`/api/v3/undo/${pathPart(id)}`, { method: "POST" });
}

/** The attribute with the time at which items expire; null if they do not. */
export async function fetchTimeToLive(name: string, signal: AbortSignal): Promise<string | null> {
  const path = `${base}/${pathPart(name)}/time-to-live`;
  return (await callApi<{ attribute: string | null }>(path, { signal })).attribute;
}

/** Deletes a table; `undo` is the id to undo that by. */
export function deleteTable(name: string, undo?: string): Promise<Undoable> {
  return callApi(`${base}/${pathPart(name)}${undoQuery(undo)}`, { method: "DELETE" });
}

/** Whether a PartiQL statement only reads. */
export function isSelect(statement: string): boolean {
  return /^\s*SELECT\b/i.test(statement);
}

/** Runs a PartiQL statement; `next` is that of the previous page. */
export async function runStatement(
  asked: {
    readonly statement: string;
    readonly parameters: readonly WireValue[];
    readonly next?: string;
    readonly undo?: string;
  },
  signal: AbortSignal,
): Promise<
  { readonly items: readonly WireItem[]; readonly units: number; readonly next?: string } & Undoable
> {
  return callApi("/api/v3/partiql", {
    method: "POST",
    body: asked,
    writes: !isSelect(asked.statement),
    signal,
  });
}

/** The path of all items of a table as a file. */
export function exportPath(table: string): string {
  return `${base}/${pathPart(table)}/export`;
}

/** The path of a table's changes. */
export function changesPath(table: string): string {
  return `${base}/${pathPart(table)}/live`;
}

/** Stores the items of a few lines. Returns how many. */
export async function importLines(
  table: string,
  {
    text,
    firstLine,
    undo,
    signal,
  }: {
    readonly text: string;
    readonly firstLine: number;
    readonly undo: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<number> {
  const query = new URLSearchParams({ firstLine: String(firstLine), ...(undo !== undefined && { undo }) });
  const path = `${base}/${pathPart(table)}/import?${query}`;
  const headers = { "content-type": "application/x-ndjson" };
  return (await callApi<{ items: number }>(path, { method: "POST", text, headers, signal })).items;
}
