import type { DynamoPort, Item } from "@tablekeep/core";
import type { TableFacts } from "../table-facts.ts";
import { itemKey, itemStep } from "./item-step.ts";
import { tooLarge, type UndoStep } from "./undo-steps.ts";

/** The number of items that are stored concurrently. */
const atOnce = 64;
/** The deadline of one write, in milliseconds. */
const putMs = 60_000;

export interface PutOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Returns whether there is space for more. */
  add(steps: readonly UndoStep[]): boolean;
}

/**
 * Stores items, each with what it replaces: the engine returns that from the same put, so a write of someone else just before is what
 * the undo restores. BatchWriteItem returns no old items; it would not be faster either, because the engine commits puts of the same
 * turn together. Ends when there is no space to keep more.
 */
export async function putWithUndo(
  port: DynamoPort,
  table: TableFacts,
  items: readonly Item[],
  { maxBytes, signal, add }: PutOptions,
): Promise<void> {
  for (const together of distinct(table, items)) {
    const puts = together.map(async (after) => {
      const { Attributes: before } = await port.putItem(
        { TableName: table.name, Item: after, ReturnValues: "ALL_OLD" },
        { signal, deadlineMs: putMs },
      );
      return itemStep(port, table, { before, after });
    });
    const results = await Promise.allSettled(puts);
    // What was stored can be undone, even if other items of the same request were not.
    const hasSpace = add(results.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])));
    const failed = results.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
    if (!hasSpace) throw tooLarge(maxBytes);
  }
}

/** Groups of items with different keys, in order, so that the last of several items with one key is stored last. */
function* distinct(table: TableFacts, items: readonly Item[]): Generator<Item[], void, undefined> {
  let group: Item[] = [];
  const keys = new Set<string>();
  for (const item of items) {
    const key = itemKey(table, item);
    if (keys.has(key) || group.length === atOnce) {
      yield group;
      group = [];
      keys.clear();
    }
    group.push(item);
    keys.add(key);
  }
  if (group.length > 0) yield group;
}
