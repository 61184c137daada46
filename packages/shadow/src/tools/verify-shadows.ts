import { type DynamoPort, type Item, isDynamoError, optionCheck } from "@tablekeep/core";
import { checkOptions } from "../model/shadow-error.ts";
import { memoryIdOf, rowIdOf } from "../rows/row-keys.ts";
import type { ShadowsOptions } from "../store/store-options.ts";
import { checkMemory, checkRow, type RowFacts } from "./check-row.ts";
import type { ShadowFinding } from "./shadow-finding.ts";
import { storedItems } from "./stored-items.ts";
import { type ShadowToolOptions, toolCalls, toolChecks } from "./tool-call.ts";
import { verifyHistory } from "./verify-history.ts";

/** The result of a verification. */
export interface ShadowVerifySummary {
  /** Items of shadows. */
  readonly shadows: number;
  /** Remembered versions of deleted shadows. */
  readonly deleted: number;
  /** Entries of the history. */
  readonly entries: number;
  /** Other items, such as groups, rollouts and connections. */
  readonly others: number;
  readonly error: number;
  readonly warning: number;
  readonly info: number;
}

/** Options of a verification. */
export interface VerifyShadowsOptions extends ShadowToolOptions {
  /** Only the shadows of this thing. @default the shadows of all things, by a scan of the table */
  readonly thing?: string;
  /** Called for each finding. @default none */
  readonly onFinding?: (finding: ShadowFinding) => void | Promise<void>;
}

/**
 * Reads the stored shadows, the versions of deleted ones and the history, and reports what is damaged or contradicts itself. Writes nothing.
 * Shadows that are written during the verification are read again before their history is reported.
 *
 * @example
 * const { error, warning } = await verifyShadows(port, { table: "things" }, { onFinding: console.log });
 */
export async function verifyShadows(
  port: DynamoPort,
  store: ShadowsOptions = {},
  options: VerifyShadowsOptions = {},
): Promise<ShadowVerifySummary> {
  checkOptions(options, { ...toolChecks, thing: optionCheck.string, onFinding: optionCheck.callback });
  const { thing, onProgress, onFinding } = options;
  const calls = toolCalls(port, store, options);
  const counts = { shadows: 0, deleted: 0, entries: 0, others: 0, error: 0, warning: 0, info: 0 };
  const report = async (findings: readonly ShadowFinding[]) => {
    for (const finding of findings) {
      counts[finding.severity]++;
      await onFinding?.(finding);
    }
  };
  // The items of a thing are adjacent, within pages and across them.
  let group: { readonly key: string; readonly items: Item[] } | undefined;
  const finish = async () => {
    if (group !== undefined) await report(checkThing(group.items, counts));
    group = undefined;
  };
  let read = 0;
  for await (const items of storedItems(calls, { thing })) {
    for (const item of items) {
      const key = item["PK"]?.S ?? "";
      if (group !== undefined && group.key !== key) await finish();
      group ??= { key, items: [] };
      group.items.push(item);
    }
    read += items.length;
    onProgress?.(read);
  }
  await finish();
  if (calls().options.history !== undefined) {
    const onEntries = (entries: number) => {
      counts.entries += entries;
      onProgress?.(read + counts.entries);
    };
    try {
      for await (const finding of verifyHistory(calls, thing, onEntries)) await report([finding]);
    } catch (error) {
      // No server has kept a history yet.
      if (!isDynamoError(error, "ResourceNotFoundException")) throw error;
    }
  }
  return counts;
}

/** The findings of the items of one thing. */
function checkThing(
  items: readonly Item[],
  counts: { shadows: number; deleted: number; others: number },
): ShadowFinding[] {
  const findings: ShadowFinding[] = [];
  const rows = new Map<string, RowFacts>();
  const add = (found: readonly ShadowFinding[]) => findings.push(...found);
  for (const item of items) {
    const id = rowIdOf(item);
    if (id === undefined) continue;
    counts.shadows++;
    const row = checkRow(item, id);
    rows.set(`${id.kind} ${id.name}`, row);
    add(row.findings);
  }
  for (const { id } of rows.values()) {
    const isTwice = rows.has(`desired ${id.name}`) || rows.has(`reported ${id.name}`);
    if (id.kind !== "combined" || !isTwice) continue;
    const message = "is stored in both models: delete the one that is not used";
    add([{ id: id.id, name: id.name, item: "combined", kind: "duplicate", severity: "error", message }]);
  }
  for (const item of items) {
    const id = memoryIdOf(item);
    if (id !== undefined) {
      counts.deleted++;
      add(checkMemory(item, id, rows.get(`${id.kind} ${id.name}`)));
    } else if (rowIdOf(item) === undefined) counts.others++;
  }
  return findings;
}
