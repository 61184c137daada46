import type { TableSpec } from "@tablekeep/client";
import type { CallOptions } from "@tablekeep/core";

/** Identifies a snapshot. */
export interface SnapshotMetadata {
  readonly persistenceId: string;
  /** The sequence number of the last event that the state contains. */
  readonly sequenceNr: number;
  /** When it was saved, in milliseconds since 1970. */
  readonly timestamp: number;
}

/** A snapshot as it was read. */
export interface Snapshot extends SnapshotMetadata {
  /** Decoded; `{ serializerId, manifest, bytes }` if no codec handles its serializer. */
  readonly state: unknown;
  readonly serializerId: number;
  readonly serializerManifest: string;
  /** The metadata; undefined if there is none. */
  readonly metadata?: unknown;
}

/** Selects snapshots. All bounds are inclusive, and all must hold. */
export interface SnapshotCriteria {
  /** @default 0 */
  readonly minSequenceNr?: number;
  /** @default no bound */
  readonly maxSequenceNr?: number;
  /** Milliseconds since 1970. @default 0 */
  readonly minTimestamp?: number;
  /** Milliseconds since 1970. @default no bound */
  readonly maxTimestamp?: number;
}

/** What to do with an unreadable snapshot. */
export type OnUnreadable = "fail" | "previous" | "replay-all";

export interface SaveSnapshotOptions extends CallOptions {
  /**
   * Milliseconds since 1970 from which on the snapshot counts as absent; DynamoDB removes it later, if the table has time to live on `ttl`. Never delete
   * the events that only an expiring snapshot contains. @default never
   */
  readonly expiresAt?: number;
  /** Any value that a codec accepts, stored beside the state. @default none */
  readonly metadata?: unknown;
  /** The id of the serializer that encodes the state. @default chosen by the state's type */
  readonly serializerId?: number;
  /** The state's type for its serializer. @default "" */
  readonly serializerManifest?: string;
}

export interface LoadSnapshotOptions extends CallOptions {
  /** @default the store's own `onUnreadable` */
  readonly onUnreadable?: OnUnreadable;
}

export interface DeleteSnapshotOptions extends CallOptions {
  /** Delete only the snapshot that was saved at this time, in milliseconds. @default 0: whenever it was saved */
  readonly timestamp?: number;
}

/** The result of {@link Snapshots.collectGarbage}. */
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
   * Saves a state. Replaces a snapshot with the same sequence number atomically. If the save fails, the older one is
   * unchanged; if the error is `ambiguous`, it is either.
   *
   * @example
   * await snapshots.save("cart-1", writer.highestSequenceNr, state);
   */
  save(
    persistenceId: string,
    sequenceNr: number,
    state: unknown,
    options?: SaveSnapshotOptions,
  ): Promise<SnapshotMetadata>;
  /**
   * Returns the matching snapshot with the highest sequence number; undefined if there is none. A read that fails throws.
   *
   * @example
   * const snapshot = await snapshots.load("cart-1", { maxSequenceNr: 100 });
   */
  load(
    persistenceId: string,
    criteria?: SnapshotCriteria,
    options?: LoadSnapshotOptions,
  ): Promise<Snapshot | undefined>;
  /**
   * Deletes the snapshot with a sequence number, if it exists.
   *
   * @example
   * await snapshots.delete("cart-1", 100);
   */
  delete(persistenceId: string, sequenceNr: number, options?: DeleteSnapshotOptions): Promise<void>;
  /**
   * Deletes all matching snapshots. Call it again after a failure: it continues.
   *
   * @example
   * await snapshots.deleteMany("cart-1", { maxSequenceNr: 100 });
   */
  deleteMany(persistenceId: string, criteria?: SnapshotCriteria, options?: CallOptions): Promise<void>;
  /**
   * Deletes all but the `keep` snapshots with the highest sequence numbers.
   *
   * @example
   * await snapshots.keepNewest("cart-1", 2);
   */
  keepNewest(persistenceId: string, keep: number, options?: CallOptions): Promise<void>;
  /**
   * Lists the snapshots of an id, in ascending order. DynamoDB charges for reading the whole items.
   *
   * @example
   * for await (const { sequenceNr } of snapshots.list("cart-1")) console.log(sequenceNr);
   */
  list(
    persistenceId: string,
    criteria?: SnapshotCriteria,
    options?: CallOptions,
  ): AsyncIterable<SnapshotMetadata>;
  /**
   * Removes chunks that no snapshot uses: of incomplete saves, and of replaced or deleted snapshots.
   *
   * @example
   * const { chunks } = await snapshots.collectGarbage("cart-1");
   */
  collectGarbage(persistenceId: string, options?: CallOptions): Promise<CollectedGarbage>;
  /**
   * Resolves when no background cleaning is running.
   *
   * @example
   * await snapshots.idle();
   */
  idle(): Promise<void>;
  /**
   * Stops background cleaning: waits for what is being cleaned, and leaves the rest to later saves. The port stays open.
   *
   * @example
   * await snapshots.close();
   */
  close(): Promise<void>;
}

/** The original's own default is "akka-persistence-snapshot". */
export const defaultSnapshotTable = "snapshots";

/** How a snapshot table differs from the original's. */
export interface SnapshotTableOptions {
  /**
   * Whether to have the index `ts-idx`. The original searches for the latest snapshot there; this library never reads it.
   * Without it every write costs half, and a snapshot of one item may be twice as large. @default true
   */
  readonly indexed?: boolean;
  /** Whether DynamoDB removes expired snapshots: time to live on the attribute `ttl`. @default false */
  readonly expiring?: boolean;
}

/**
 * The specification of a snapshot table, for `ensureTable`, `checkTable` and the printers.
 *
 * @example
 * await ensureTable(port, snapshotTableSpec("snapshots"));
 */
export function snapshotTableSpec(
  name: string = defaultSnapshotTable,
  { indexed = true, expiring = false }: SnapshotTableOptions = {},
): TableSpec {
  return {
    name,
    partitionKey: { name: "par", type: "S" },
    sortKey: { name: "seq", type: "N" },
    ...(expiring && { ttlAttribute: "ttl" }),
    ...(indexed && { localIndexes: [{ name: "ts-idx", sortKey: { name: "ts", type: "N" } }] }),
  };
}
