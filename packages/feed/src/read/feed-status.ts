import type { CallOptions, Clock } from "@tablekeep/core";
import type { FeedRecord, UnreadableItems } from "../store/feed-record.ts";
import type { FeedStore } from "../store/feed-store.ts";

/** The state of a feed. */
export interface FeedStatus {
  readonly name: string;
  readonly generation: number;
  /** `sweeping`: the journal is being compared with the feed. `live`: the feed follows the stream. */
  readonly state: "sweeping" | "live";
  readonly streamArn: string;
  /** The process that has the lease of the sequencer, and until when, in milliseconds; undefined if none has. */
  readonly lease?: { readonly owner: string; readonly until: number };
  /** How far the feed is behind the journal, in milliseconds; undefined if unknown. */
  readonly lagMs?: number;
  /** The number of pages and of events of each slice. `error`: why its last page cannot be read; then the events of pages before it count. */
  readonly slices: readonly { readonly pages: number; readonly events: number; readonly error?: string }[];
  /**
   * Items of the journal that the last sweep could not read; undefined if it could read all. Their events may be missing in the feed, until the items
   * have been repaired and the journal is swept again.
   */
  readonly unreadable?: UnreadableItems;
}

/** Reads the state of a feed. */
export async function feedStatus(
  store: FeedStore,
  name: string,
  record: FeedRecord,
  clock: Clock,
  call: CallOptions,
): Promise<FeedStatus> {
  const { generation, arn, state, unreadable } = record;
  const { seenUntil } = await store.readCheckpoint(generation, arn, call);
  const slices = await store.sizes(record, call);
  const lease = await store.readLease(call);
  const isKnown = state === "live" && seenUntil > 0;
  return {
    name,
    generation,
    state,
    streamArn: arn,
    ...(lease !== undefined && lease.until > clock.now() && { lease }),
    ...(isKnown && { lagMs: Math.max(0, clock.now() - seenUntil) }),
    slices: slices.map(({ error, ...size }) => ({
      ...size,
      ...(error && { error: `${error.code}: ${error.message}` }),
    })),
    ...(unreadable && { unreadable }),
  };
}
