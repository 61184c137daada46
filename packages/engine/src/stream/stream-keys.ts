import { metaKey, regions } from "../catalog/storage-keys.ts";

/** The key of the record that says how many change records a stream was ever given. */
export function streamCountKey(streamId: string): string {
  return metaKey(`stream-count/${streamId}`);
}

/** The first bytes of all change records of a stream. */
export function streamRegion(streamId: string): string {
  return regions.streams + streamId;
}

/** The key of a change record. */
export function changeKey(streamId: string, count: number): string {
  return streamRegion(streamId) + count.toString(16).padStart(12, "0");
}

/** The number of the change record with this key. */
export function countOfKey(streamId: string, key: string): number {
  return Number.parseInt(key.slice(streamRegion(streamId).length), 16);
}
