import { transactWrite } from "@tablekeep/client";
import type { Item, Put, TransactWriteItem } from "@tablekeep/core";
import { historyKeyNames, keptAttribute } from "../rows/history-row.ts";
import {
  newRow,
  rememberVersion,
  requireAbsent,
  settleMemory,
  type VersionMemory,
} from "../rows/row-actions.ts";
import {
  lastVersion,
  nameIn,
  readRow,
  versionOf,
  versionUnsafe,
  writeIdAttribute,
} from "../rows/stored-row.ts";
import { asShadowOutcome, contention } from "../store/check-operation.ts";
import { type Fetched, fetchRows } from "../store/fetch-rows.ts";
import { checkKept, entryOf, historyOf, newestVersion } from "../store/keep-history.ts";
import { type ActionRole, duplicatesOf, keyNames } from "../store/plan-write.ts";
import { obstaclesOf } from "../store/send-rows.ts";
import type { StoreCall } from "../store/store-options.ts";
import { memoryOf } from "../store/write-shadow.ts";
import type { ImportShadowsOptions } from "./import-options.ts";
import { contentOf, contentText } from "./row-content.ts";
import type { ExportedMemory, ExportedRow } from "./shadow-export-format.ts";

/** The result of importing one line. */
export type ImportedAs = "written" | "same" | "kept" | "conflict";

/** The number of attempts for one item, if others write it or its version is remembered. */
const maxAttempts = 5;

/** Imports one item, whose current state was read. */
export async function importRow(
  call: StoreCall,
  line: ExportedRow,
  found: Fetched,
  { existing = "conflict", onConflict }: ImportShadowsOptions,
): Promise<ImportedAs> {
  const { id, name, kind, version } = line;
  let current = itemOf(found);
  let memory: VersionMemory | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (current !== undefined) {
      if (isSame(line, current)) return "same";
      if (existing === "keep") return "kept";
      const stored = versionOf(current, line);
      if (existing === "conflict") {
        onConflict?.({ id, name, kind, version, current: stored });
        return "conflict";
      }
      if (stored >= version) return "kept";
    }
    const sent = await send(call, line, current, memory);
    if (sent === "written") return "written";
    if (sent === "duplicate") {
      if (existing === "keep") return "kept";
      onConflict?.({ id, name, kind, version, current: undefined });
      return "conflict";
    }
    if (sent !== undefined) memory = sent;
    current = itemOf((await fetchRows(call, [line]))(line));
  }
  throw contention(line, maxAttempts);
}

function itemOf(found: Fetched): Item | undefined {
  if ("error" in found) throw found.error;
  return found.item;
}

/** Whether the table has the line's state, at its version or, if that was already used, at a later one. */
function isSame(line: ExportedRow, item: Item): boolean {
  const stored = readRow(item);
  return stored.version >= line.version && contentText(stored) === contentText(line);
}

/** Writes an item in place of `current`. Returns the remembered version that has to be known first, or undefined if others wrote. */
async function send(
  call: StoreCall,
  line: ExportedRow,
  current: Item | undefined,
  memory: VersionMemory | undefined,
): Promise<"written" | "duplicate" | VersionMemory | undefined> {
  const { table, refuseDuplicates, logger } = call.options;
  const content = contentOf(line);
  const history = line.kind === "combined" ? historyOf(call) : undefined;
  if (history !== undefined) checkKept(line, [content]);
  const newest = history === undefined ? 0 : await newestVersion(call, line, history.table);
  const remembered = memory === undefined || memory.expired ? 0 : Math.floor(Number(memory.version));
  const version = Math.max(line.version, remembered + 1, newest + 1);
  if (version > lastVersion) throw versionUnsafe(line, String(version));
  const roles: ActionRole["role"][] = ["item"];
  const kept: Item = history === undefined ? {} : { [keptAttribute]: { N: String(version) } };
  const actions: TransactWriteItem[] = [
    { Put: { ...placed(line, current), TableName: table, Item: { ...newRow(content, version), ...kept } } },
  ];
  const add = (role: ActionRole["role"], action: TransactWriteItem) => {
    roles.push(role);
    actions.push(action);
  };
  if (history !== undefined) {
    const previous = current === undefined ? 0 : -1;
    add("entry", { Put: entryOf(history, content, { version, previous }) });
  }
  if (current === undefined) {
    add("memory", settleMemory(table, line, memory));
    if (refuseDuplicates)
      for (const other of duplicatesOf(line)) add("duplicate", requireAbsent(table, other));
  }
  const outcome = await transactWrite(call.port, actions, {
    writeId: {
      attribute: writeIdAttribute,
      on: history === undefined ? [0] : [0, 1],
      keyNames: { [table]: keyNames, ...(history && { [history.table]: historyKeyNames }) },
    },
    logger,
    ...call.request(),
  });
  if (outcome.kind === "ok") return "written";
  if (outcome.kind !== "conflict") {
    const { error } = asShadowOutcome(line, outcome) as { error: Error };
    throw error;
  }
  const obstacles =
    obstaclesOf(
      outcome.error,
      roles.map((role) => ({ role, row: 0 })),
    ) ?? [];
  if (obstacles.some(({ role }) => role === "duplicate")) return "duplicate";
  const blocking = obstacles.find(({ role }) => role === "memory");
  return blocking === undefined ? undefined : memoryOf(blocking.current, call);
}

/** The condition of the put: no item exists, or only the one that was read. */
function placed(row: ExportedRow, current: Item | undefined): Omit<Put, "TableName" | "Item"> {
  if (current === undefined) return { ConditionExpression: "attribute_not_exists(PK)" };
  return {
    ConditionExpression: "#Version = :current",
    ExpressionAttributeNames: { "#Version": nameIn(current, "Version") },
    ExpressionAttributeValues: { ":current": { N: String(versionOf(current, row)) } },
  };
}

/** Remembers the version of a deleted shadow, unless the shadow exists, or an equal or higher version is remembered. */
export async function importMemory(call: StoreCall, memory: ExportedMemory): Promise<ImportedAs> {
  const { table, clock, logger } = call.options;
  const now = Math.floor(clock.now() / 1000);
  const { version, expiresAt } = memory;
  if (expiresAt <= now) return "kept";
  const put = rememberVersion(table, memory, { version: String(version), now, expiresAt });
  const outcome = await transactWrite(call.port, [{ Put: put }, requireAbsent(table, memory)], {
    logger,
    ...call.request(),
  });
  if (outcome.kind === "ok") return "written";
  if (outcome.kind === "conflict") return "kept";
  throw outcome.error;
}
