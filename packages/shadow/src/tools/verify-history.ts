import type { Item, Key } from "@tablekeep/core";
import { entryKey, historyKey, keptAttribute, readEntry } from "../rows/history-row.ts";
import { rowKey, type ShadowId } from "../rows/row-keys.ts";
import { readRow } from "../rows/stored-row.ts";
import { newestVersion } from "../store/keep-history.ts";
import type { StoreCall } from "../store/store-options.ts";
import { checkRow } from "./check-row.ts";
import { contentText } from "./row-content.ts";
import type { ShadowFinding } from "./shadow-finding.ts";
import { storedItems } from "./stored-items.ts";

/** Compares the newest entry of each history with its shadow. */
export async function* verifyHistory(
  calls: () => StoreCall,
  thing: string | undefined,
  onEntries: (count: number) => void,
): AsyncGenerator<ShadowFinding, void, undefined> {
  const table = calls().options.history?.table ?? "";
  let last: Item | undefined;
  for await (const items of storedItems(calls, { table })) {
    for (const item of items) {
      // The entries of a shadow are adjacent, and the last one is the newest.
      if (last !== undefined && last["Shadow"]?.S !== item["Shadow"]?.S)
        yield* checkNewest(calls, last, thing);
      last = item;
    }
    onEntries(items.length);
  }
  if (last !== undefined) yield* checkNewest(calls, last, thing);
}

async function* checkNewest(
  calls: () => StoreCall,
  item: Item,
  thing: string | undefined,
): AsyncGenerator<ShadowFinding, void, undefined> {
  const table = calls().options.history?.table ?? "";
  const shadow = shadowOf(item["Shadow"]?.S ?? "");
  if (shadow === undefined || (thing !== undefined && shadow.id !== thing)) return;
  // Read again: it may have been written since.
  const row = await get(calls(), calls().options.table, rowKey({ ...shadow, kind: "combined" }));
  const entry = readEntry(shadow, item, calls().options.clock.now());
  const finding = (
    kind: ShadowFinding["kind"],
    severity: ShadowFinding["severity"],
    message: string,
  ): ShadowFinding => ({ ...shadow, item: "combined", kind, severity, message });
  if (entry === undefined) return;
  if (row === undefined) {
    // It may have been deleted since the entry was read: then its deletion follows.
    const isNewest = (await newestVersion(calls(), shadow, table)) === entry.version;
    const deletion = await get(calls(), table, historyKey(shadow, entryKey(entry.version, true)));
    if (entry.row !== undefined && isNewest && deletion === undefined)
      yield finding(
        "history-orphan",
        "warning",
        `is in the history at version ${entry.version}, but does not exist: another program has deleted it`,
      );
    return;
  }
  const { row: current } = checkRow(row, { ...shadow, kind: "combined" });
  if (current === undefined) return;
  if (current.version < entry.version) {
    yield finding(
      "history-ahead",
      "warning",
      `has version ${current.version}, but version ${entry.version} is in its history: another program has replaced it`,
    );
    return;
  }
  if (Number(row[keptAttribute]?.N) !== current.version) return;
  const own = await get(calls(), table, historyKey(shadow, entryKey(current.version)));
  const kept = own && readEntry(shadow, own, calls().options.clock.now());
  if (kept?.row === undefined) {
    const message = `has version ${current.version}, which is no longer in its history`;
    yield finding("history-missing", "info", message);
  } else if (contentText(kept.row) !== contentText(readRow(row)))
    yield finding(
      "history-differs",
      "error",
      `has a different state from version ${current.version} in its history`,
    );
}

async function get(call: StoreCall, TableName: string, Key: Key): Promise<Item | undefined> {
  const { clock: _clock, random: _random, ...request } = call.request();
  return (await call.port.getItem({ TableName, Key, ConsistentRead: true }, request)).Item;
}

/** The shadow of a partition of the history. */
function shadowOf(text: string): ShadowId | undefined {
  try {
    const [id, name] = JSON.parse(text) as unknown[];
    return typeof id === "string" && typeof name === "string" ? { id, name } : undefined;
  } catch {
    return undefined;
  }
}
