import { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption } from "../capacity/consumption.ts";
import { type ReadMode, readUnits } from "../capacity/units.ts";
import type { Database } from "../database.ts";
import type { StoredItem } from "../item/stored-item.ts";
import type { Source } from "../read/key-range.ts";
import { needsWholeItems, wholeItem } from "../read/page-answer.ts";
import type { Page } from "../read/read-page.ts";
import { type Selection, select } from "./selection.ts";

/** What a SELECT takes of the entries that were read, and what reading them cost. */
export function selectedItems(
  database: Database,
  source: Source,
  pages: readonly Page[],
  selection: Selection | undefined,
  { ConsistentRead }: { readonly ConsistentRead?: boolean | undefined },
): { items: ItemAnswer[]; consumption: Consumption } {
  const mode: ReadMode = ConsistentRead ? "strong" : "eventual";
  const paths = selection?.map(({ path }) => path);
  const whole = needsWholeItems(source, undefined, paths);
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
      items.push(selectedItem(item, selection));
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
