/** The consistency of a read: eventual, strong, or part of a transaction. */
export type ReadMode = "eventual" | "strong" | "transactional";

/** Whether a write is part of a transaction. */
export type WriteMode = "plain" | "transactional";

/**
 * Returns the write units of one item: one per started KB, twice that in a transaction. For an update, `bytes` is the larger of
 * the item before and after; for a failed condition, that of the existing item. An index adds its own.
 *
 * @example
 * writeUnits(itemSize(item)); // 2 for an item of 1.5 KB
 */
export function writeUnits(bytes: number, mode: WriteMode = "plain"): number {
  const units = Math.max(1, Math.ceil(bytes / 1024));
  return mode === "transactional" ? 2 * units : units;
}

/**
 * Returns the read units of one read: one per started 4 KB, half of it if eventually consistent, twice in a transaction. A query
 * or scan adds up the bytes of its page first; a batch counts each item on its own. A missing item costs as much as 1 byte.
 *
 * @example
 * readUnits(itemSize(item), "strong"); // 1 for an item of up to 4 KB
 */
export function readUnits(bytes: number, mode: ReadMode = "eventual"): number {
  const units = Math.max(1, Math.ceil(bytes / 4096));
  if (mode === "eventual") return units / 2;
  return mode === "transactional" ? 2 * units : units;
}
