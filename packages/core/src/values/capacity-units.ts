/** How fresh a read is: eventually consistent, strongly consistent, or one of a transaction. */
export type ReadMode = "eventual" | "strong" | "transactional";

/** What the write of one item is part of. */
export type WriteMode = "plain" | "transactional";

/**
 * The write units of one item: one per started KB, twice that in a transaction. For an update, `bytes` is the larger of
 * the item before and after; for a refused condition, the item that stands there. An index adds its own.
 */
export function writeUnits(bytes: number, mode: WriteMode = "plain"): number {
  const units = Math.max(1, Math.ceil(bytes / 1024));
  return mode === "transactional" ? 2 * units : units;
}

/**
 * The read units of one read: one per started 4 KB, half of it if eventually consistent, twice in a transaction. A query
 * or scan adds up the bytes of its page first; a batch counts each item on its own. An absent item costs as 1 byte.
 */
export function readUnits(bytes: number, mode: ReadMode = "eventual"): number {
  const units = Math.max(1, Math.ceil(bytes / 4096));
  if (mode === "eventual") return units / 2;
  return mode === "transactional" ? 2 * units : units;
}
