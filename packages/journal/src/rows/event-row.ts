import type { EncodedPayload } from "../codecs/codec.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";

/** One event as it is stored in a table, whatever the layout and the item format. */
export interface EventRow {
  readonly kind: "event";
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly payload: EncodedPayload;
  /** The event adapter's manifest; "" if none. */
  readonly manifest: string;
  readonly writerUuid: string;
  /** Milliseconds; undefined where the original stored none. */
  readonly timestamp?: number;
  readonly tags: readonly string[];
  readonly metadata?: EncodedPayload;
  /** Milliseconds since 1970 from which on its payload and metadata are not returned. */
  readonly expiresAt?: number;
  /** Its place in an atomic write of several events. */
  readonly batch?: BatchPosition;
  /** The id of the append that wrote it; the original writes none. */
  readonly writeId?: string;
  /** Written ahead of its batch's commit: live only when the commit record names its write id. */
  readonly staged: boolean;
  /**
   * Of ours: the number before had a high mark of the original and no row when this one was written. A hole before any other
   * row of ours is damage.
   */
  readonly aboveHole?: boolean;
  /** Soft deletion and confirmations, which only the scattered layout has. */
  readonly deleted?: boolean;
  readonly confirmations?: readonly string[];
  /** The path of the actor that sent it, which only Akka 2.3 stored. */
  readonly sender?: string;
}

/** The position of a row in its atomic write. */
export interface BatchPosition {
  /** 0 for the first. */
  readonly index: number;
  /** The index of the last: one less than the number of events. */
  readonly lastIndex: number;
}

/** What is left of a deleted event: its sequence number stays in use until no writer can have an older view. */
export interface TombstoneRow {
  readonly kind: "tombstone";
  readonly sequenceNr: number;
  readonly writeId?: string;
  /** When it may be removed, in seconds since 1970; undefined if it stays. */
  readonly expiresAt?: number;
  /** On the last of a staged batch: the batch's first number, whose commit record is removed with this tombstone. */
  readonly commitOf?: number;
  /** Of an item that held several events: the number of its last. */
  readonly last?: number;
  /** Its events were moved by a compaction into the item that begins at this number. */
  readonly into?: number;
}

export type JournalRow = EventRow | TombstoneRow;

/** The first number of the atomic write that a row belongs to. */
export function firstOfBatch(row: EventRow): number {
  return row.sequenceNr - (row.batch?.index ?? 0);
}

/** The last number of the atomic write that a row belongs to. */
export function lastOfBatch(row: EventRow): number {
  return row.batch === undefined ? row.sequenceNr : firstOfBatch(row) + row.batch.lastIndex;
}

/** Returns whether two rows belong to one atomic write of several events. */
export function isSameWrite(one: EventRow, other: EventRow): boolean {
  if (one.writeId !== other.writeId || one.writerUuid !== other.writerUuid || !one.batch || !other.batch)
    return false;
  return firstOfBatch(one) === firstOfBatch(other) && lastOfBatch(one) === lastOfBatch(other);
}

/**
 * Returns the sequence number up to which a row shows that numbers are in use. The rows of a write of ours become visible one by one,
 * and all of it counts. Of a batch of the original only the existing rows count: a failed one may never get the others, and the
 * original continues after its last row too.
 */
export function lastToCount(row: JournalRow): number {
  if (row.kind === "tombstone") return row.last ?? row.sequenceNr;
  return row.writeId === undefined ? row.sequenceNr : lastOfBatch(row);
}

/**
 * Whether a row is the tombstone of events that a compaction has moved into the item before. It is not the end of what is there: such
 * tombstones expire in any order, and the item below may reach further.
 */
export function isMoved(row: JournalRow): boolean {
  return row.kind === "tombstone" && row.into !== undefined;
}

/** Whether the payload of an event was removed after it had expired. */
export function isRemoved({ payload }: EventRow): boolean {
  return payload.serializerId === ownSerializers.expired;
}

/** Whether an event has expired at a time. One whose payload was removed has, whatever the clock says. */
export function isExpired(row: EventRow, now: number): boolean {
  return row.expiresAt !== undefined && (row.expiresAt <= now || isRemoved(row));
}
