import { itemSize, type OperationOptions } from "@tablekeep/client";
import type { CallOptions, Clock, DynamoPort, Item, Logger, Random } from "@tablekeep/core";
import type { Codecs, EncodedPayload } from "../codecs/codec.ts";
import { encodeSnapshotRow, type SnapshotRow } from "../rows/snapshot-row.ts";
import type { SnapshotKeys } from "./snapshot-keys.ts";
import type { OnUnreadable } from "./snapshots.ts";

/** The context shared by all parts of a snapshot store. */
export interface SnapshotContext {
  readonly port: DynamoPort;
  readonly table: string;
  readonly keys: SnapshotKeys;
  readonly codecs: Codecs;
  readonly format: "pay_data" | "pay";
  readonly compression: "large" | "always" | "never";
  readonly chunking: boolean;
  readonly maxItemSize: number;
  /** Maximum size of a head in bytes: smaller than for other items if the index has a second copy of it. */
  readonly maxHeadSize: number;
  readonly maxSnapshotBytes: number;
  readonly onUnreadable: OnUnreadable;
  readonly garbageAfterMs: number;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The options of each request of a call, for the functions of the client. */
export function clientOptions(
  context: SnapshotContext,
  options: CallOptions,
): OperationOptions & { readonly clock: Clock } {
  const { clock, random } = context;
  const { signal, deadlineMs = context.deadlineMs, onRetry } = options;
  return { clock, random, signal, deadlineMs, onRetry };
}

/** The options of each request of a call, for the port itself. */
export function portOptions(context: SnapshotContext, options: CallOptions): CallOptions {
  const { signal, deadlineMs = context.deadlineMs, onRetry } = options;
  return { signal, deadlineMs, onRetry };
}

/** The item of one chunk. It has no `ts`, so it is not in the index. */
export function chunkItem(
  { keys }: SnapshotContext,
  snapshotId: string,
  index: number,
  data: Uint8Array,
): Item {
  return { ...keys.chunk(snapshotId, index), data: { B: data } };
}

/** How many bytes of a snapshot fit into one chunk beside the longest key. */
export function chunkBytes(context: SnapshotContext): number {
  return context.maxItemSize - itemSize(chunkItem(context, "9".repeat(38), 9_999_999, new Uint8Array()));
}

/** A snapshot to be saved, except for its state. */
export type HeadDraft = Omit<SnapshotRow, "payload"> & { readonly writeId: string };

/** The head of a snapshot: the whole snapshot if it fits, otherwise the location of its chunks. */
export function headItem({ keys, format }: SnapshotContext, draft: HeadDraft, payload: EncodedPayload): Item {
  return {
    ...keys.head(draft.persistenceId, draft.sequenceNr),
    ...encodeSnapshotRow({ ...draft, payload }, format),
  };
}
