import type { Item } from "@tablekeep/core";
import { numberOf } from "../layouts/layout.ts";

/** The first number of the staged batch that an item is the last row of; undefined for all other items. */
export function committedFirst(item: Item, sequenceNr: number): number | undefined {
  const index = numberOf(item, "idx");
  if (item["staged"]?.BOOL !== true || index === undefined || index !== numberOf(item, "cnt"))
    return undefined;
  return sequenceNr - index;
}
