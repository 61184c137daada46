import type { Item } from "@tablekeep/core";
import { numberOf } from "../layouts/layout.ts";
import { safeSequenceNr } from "../rows/row-attributes.ts";

/** The attributes of ours on a low mark. The original's marks have none of them. */
export const lowMarkNames = {
  rowsFrom: "rows_from",
  tombsFrom: "tombs_from",
  tombsDue: "tombs_due",
} as const;

/**
 * A low mark: everything below `lowest` is deleted. What is left to do of that, it remembers. Ours is in the writer item; where
 * the layout has marks of the original, they follow it.
 */
export interface LowMark {
  readonly lowest: number;
  /** Below this number no row stands any more; from here to `lowest` some may, if a delete was cut short. */
  readonly rowsFrom: number;
  /** Below this number no tombstone stands any more. */
  readonly tombsFrom: number;
  /** When the tombstone at `tombsFrom` may go, in seconds since 1970. */
  readonly tombsDue: number;
}

/** No event was ever deleted. */
export const noLowMark: LowMark = { lowest: 0, rowsFrom: 0, tombsFrom: 0, tombsDue: 0 };

/** Reads a low mark. One of the original does not tell whether its delete was finished: rows may stand anywhere. */
export function readLowMark(item: Item, attribute: string): LowMark {
  return {
    lowest: safeSequenceNr(item[attribute]?.N ?? "0"),
    rowsFrom: numberOf(item, lowMarkNames.rowsFrom) ?? 0,
    tombsFrom: numberOf(item, lowMarkNames.tombsFrom) ?? 0,
    tombsDue: numberOf(item, lowMarkNames.tombsDue) ?? 0,
  };
}
