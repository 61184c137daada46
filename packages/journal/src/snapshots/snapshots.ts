import type { TableSpec } from "@tablekeep/client";
import type { CallOptions } from "@tablekeep/core";

/** What tells one snapshot from another. */
export interface SnapshotMetadata {
  readonly persistenceId: string;
  /** The number of the last event that the state contains. */
  readonly sequenceNr: number;
  /** When it was saved, in milliseconds since 1970. */
  readonly timestamp: number;
}

/** A snapshot as it was read. */
export interface Snapshot extends SnapshotMetadata {
  /** Decoded; `{ serializerId, manifest, bytes }` if no codec knows its serializer. */
  readonly state: unknown;
  readonly serializerId: number;
  readonly serializerManifest: string;
  /** What was saved beside the state; undefined if nothing was. */
  readonly metadata?: unknown;
}

/** Which snapshots are meant. All four bounds are inclusive, and all hold together. */
export interface SnapshotCriteria {
  /** @default 0 */
  readonly minSequenceNr?: number | undefined;
  /** @default no bound */
  readonly maxSequenceNr?: number | undefined;
  /** Milliseconds since 1970. @default 0 */
  readonly minTimestamp?: number | undefined;
  /** Milliseconds since 1970. @default no bound */
  readonly maxTimestamp?: number | undefined;
}

/** What becomes of a load that meets a snapshot that cannot be read. */
export type OnUnreadable = "fail" | "previous" | "replay-all";

export interface SaveSnapshotOptions extends CallOptions {
  /** Anything that a codec takes, kept beside the state. @default none */
  readonly metadata?: unknown;
  /** Who encodes the state, by id. @default by the state's type */
  readonly serializerId?: number | undefined;
  /** The state's type for its serializer. @default "" */
  readonly serializerManifest?: string | undefined;
}

export interface LoadSnapshotOptions extends CallOptions {
  /** @default the store's own `onUnreadable` */
  readonly onUnreadable?: OnUnreadable | undefined;
}

export interface DeleteSnapshotOptions extends CallOptions {
  /** Delete only the snapshot that was saved at this time, in milliseconds. @default 0: whenever it was saved */
  readonly timestamp?: number | undefined;
}

/** What {@link Snapshots.collectGarbage} removed. */
export interface CollectedGarbage {
  /** Saves that were never finished, and snapshots that were replaced or deleted. */
  readonly snapshots: number;
  /** Chunks that may have been stored for them. */
  readonly chunks: number;
}

/**
 * Snapshots of states, in one table. The deadline of `save`, `load` and `delete` is that of the call while the snapshot
 * fits into one item, and of each request beyond that; that of the others is of each request.
 */
export interface Snapshots extends AsyncDisposable {
  /**
   * Saves a state. A snapshot of the same number is replaced, wholly or not at all. If the save fails, the older one is
   * still there; if the error is `ambiguous`, it may be either.
   */
  save(
    persistenceId: string,
    sequenceNr: number,
    state: unknown,
    options?: SaveSnapshotOptions,
  ): Promise<SnapshotMetadata>;
  /** The snapshot of the highest number that the criteria allow; undefined if there is none. A read that fails throws. */
  load(
    persistenceId: string,
    criteria?: SnapshotCriteria,
    options?: LoadSnapshotOptions,
  ): Promise<Snapshot | undefined>;
  /** Deletes the snapshot of one number. One that is not there is as good as deleted. */
  delete(persistenceId: string, sequenceNr: number, options?: DeleteSnapshotOptions): Promise<void>;
  /** Deletes all snapshots that the criteria allow. May be called again after a failure: it goes on. */
  deleteMany(persistenceId: string, criteria?: SnapshotCriteria, options?: CallOptions): Promise<void>;
  /** Deletes all but the snapshots of the `keep` highest numbers. */
  keepNewest(persistenceId: string, keep: number, options?: CallOptions): Promise<void>;
  /** What snapshots an id has, by rising number. DynamoDB charges for reading them whole. */
  list(
    persistenceId: string,
    criteria?: SnapshotCriteria,
    options?: CallOptions,
  ): AsyncIterable<SnapshotMetadata>;
  /** Removes chunks that no snapshot needs: of saves that were cut off, and of snapshots that were replaced or deleted. */
  collectGarbage(persistenceId: string, options?: CallOptions): Promise<CollectedGarbage>;
  /** Resolves once no cleaning goes on in the background. */
  idle(): Promise<void>;
  /** Starts no more cleaning and waits for what goes on. The port stays open. */
  close(): Promise<void>;
}

/** The original's own default is "akka-persistence-snapshot". */
export const defaultSnapshotTable = "snapshots";

/** How a snapshot table differs from the original's. */
export interface SnapshotTableOptions {
  /**
   * Whether to have the index `ts-idx`. The original looks for the latest snapshot there; this library never reads it.
   * Without it every write costs half, and a snapshot of one item may be twice as large. @default true
   */
  readonly indexed?: boolean | undefined;
}

/** What a table of snapshots looks like, for `ensureTable`, `checkTable` and the printers. */
export function snapshotTableSpec(
  name: string = defaultSnapshotTable,
  { indexed = true }: SnapshotTableOptions = {},
): TableSpec {
  return {
    name,
    partitionKey: { name: "par", type: "S" },
    sortKey: { name: "seq", type: "N" },
    ...(indexed && { localIndexes: [{ name: "ts-idx", sortKey: { name: "ts", type: "N" } }] }),
  };
}
