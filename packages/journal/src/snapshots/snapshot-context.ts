import type { OperationOptions } from "@tablekeep/client";
import type { CallOptions, Clock, DynamoPort, Logger, Random } from "@tablekeep/core";
import type { Codecs } from "../codecs/codecs.ts";
import type { SnapshotKeys } from "./snapshot-keys.ts";
import type { OnUnreadable } from "./snapshots.ts";

/** What every part of a snapshot store works with. */
export interface SnapshotContext {
  readonly port: DynamoPort;
  readonly table: string;
  readonly keys: SnapshotKeys;
  readonly codecs: Codecs;
  readonly format: "pay_data" | "pay";
  readonly compression: "large" | "always" | "never";
  readonly chunking: boolean;
  readonly maxItemSize: number;
  /** Bytes of the largest head: less than of other items where the index holds a second copy of it. */
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
export function requestOptions(context: SnapshotContext, options: CallOptions): OperationOptions {
  const { clock, random } = context;
  const { signal, deadlineMs = context.deadlineMs, onRetry } = options;
  return { clock, random, signal, deadlineMs, onRetry };
}

/** The options of each request of a call, for the port itself. */
export function portOptions(context: SnapshotContext, options: CallOptions): CallOptions {
  const { signal, deadlineMs = context.deadlineMs, onRetry } = options;
  return { signal, deadlineMs, onRetry };
}
