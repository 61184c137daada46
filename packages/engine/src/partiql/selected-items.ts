import { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption } from "../capacity/consumption.ts";
import { type ReadMode, readUnits } from "../capacity/units.ts";
import type { Database } from "../database.ts";
import { holds } from "../expression/holds.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import type { StoredItem } from "../item/stored-item.ts";
import type { Source } from "../read/key-range.ts";
import { wholeItem } from "../read/page-answer.ts";
import type { Page } from "../read/read-page.ts";
import { type Selection, select } from "./selection.ts";

/** What a SELECT takes of the entries that were read. */
export interface Taken {
  /** Whether the items are fetched from the table. */
  readonly whole: boolean;
  /** What is left to check of each entry. */
  readonly filter: Condition | undefined;
  readonly selection: Selection | undefined;
  readonly ConsistentRead: boolean | undefined;
}

/** What a SELECT answers with, and what reading it cost. */
export function selectedItems(
  database: Database,
  source: Source,
  pages: readonly Page[],
  { whole, filter, selection, ConsistentRead }: Taken,
): { items: ItemAnswer[]; consumption: Consumption } {
  const mode: ReadMode = ConsistentRead ? "strong" : "eventual";
  const consumption = new Consumption(source.table);
  const items: ItemAnswer[] = [];
  for (const page of pages) {
    const units = readUnits(page.bytes, mode);
    if (source.index === undefined) consumption.addTable(units);
    else consumption.addIndex(source.index, units);
    for (const entry of page.entries) {
      const item = whole ? wholeItem(database, source, entry) : entry;
      // AWS: LSI — each item fetched from the table costs a read of its own.
      if (whole) consumption.addTable(readUnits(item.size, mode));
      if (filter === undefined || holds(filter, entry.item)) items.push(selectedItem(item, selection));
    }
  }
  return { items, consumption };
}

/** A stored item, or what a selection takes of it. */
function selectedItem(stored: StoredItem, selection: Selection | undefined): ItemAnswer {
  return selection === undefined
    ? ItemAnswer.stored(stored)
    : ItemAnswer.built(select(selection, stored.item));
}
