/** AWS: Read and write capacity units. One write unit is 1 KB, one strongly consistent read unit 4 KB, rounded up. */

export type ReadMode = "eventual" | "strong" | "transactional";

const readFactor: Record<ReadMode, number> = { eventual: 0.5, strong: 1, transactional: 2 };

/** Units to read this many bytes; at least one unit's worth, also where nothing was found. */
export function readUnits(bytes: number, mode: ReadMode): number {
  return Math.max(1, Math.ceil(bytes / 4096)) * readFactor[mode];
}

/** Units to write an item of this many bytes, once. */
export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024));
}
