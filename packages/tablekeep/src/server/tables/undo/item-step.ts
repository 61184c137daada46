import type { DynamoPort, Item, Key } from "@tablekeep/core";
import { parseItem, wireItem } from "../../../json/dynamodb-json.ts";
import { changeItem, fitsOneRequest, ItemChangedError, type ItemEdit } from "../change-item.ts";
import type { TableFacts } from "../table-facts.ts";
import type { UndoStep } from "./undo-steps.ts";

/** Undoes the change of one item, if the item has not changed since. */
export function itemStep(
  port: DynamoPort,
  table: TableFacts,
  { before, after }: { readonly before: Item | undefined; readonly after: Item | undefined },
): UndoStep {
  const json = JSON.stringify([before, after].map((item) => item && wireItem(item)));
  return {
    key: itemKey(table, after ?? before ?? {}),
    bytes: json.length,
    async run(signal) {
      const [to, from] = (JSON.parse(json) as unknown[]).map((item) =>
        item === null ? undefined : parseItem(item),
      );
      const change = { table: table.name, key: keyOf(table, from ?? to ?? {}), from, to };
      return undoChange(port, change, signal);
    },
  };
}

async function undoChange(port: DynamoPort, change: ItemEdit, signal: AbortSignal): Promise<boolean> {
  // No single request can compare such an item and change it.
  if (change.from !== undefined && !fitsOneRequest(change)) return false;
  try {
    await changeItem(port, change, signal);
    return true;
  } catch (error) {
    if (error instanceof ItemChangedError) return false;
    throw error;
  }
}

/** A string that is equal for items with equal keys. It may be equal for some other items, too. */
export function itemKey(table: TableFacts, item: Item): string {
  return Object.values(keyOf(table, item))
    .map((value) => (value.N === undefined ? JSON.stringify(wireItem({ value })) : String(Number(value.N))))
    .join();
}

function keyOf({ partition, sort }: TableFacts, item: Item): Key {
  const names = sort === undefined ? [partition.name] : [partition.name, sort.name];
  return Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}
