import { itemSize } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import type { SnapshotContext } from "./snapshot-context.ts";

/** The item of one chunk. It has no `ts`, so that it is not in the index. */
export function chunkItem(
  { keys }: SnapshotContext,
  snapshotId: string,
  index: number,
  data: Uint8Array,
): Item {
  return { ...keys.chunk(snapshotId, index), data: { B: data } };
}

/** How many bytes of a snapshot go into one chunk: what an item leaves beside the longest key. */
export function chunkBytes(context: SnapshotContext): number {
  return context.maxItemSize - itemSize(chunkItem(context, "9".repeat(38), 9_999_999, new Uint8Array()));
}
