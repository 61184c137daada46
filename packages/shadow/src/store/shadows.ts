import type { Outcome } from "@tablekeep/core";
import type { DocumentValue } from "../document/document-value.ts";
import type { ShadowCallOptions } from "../model/call-options.ts";
import type { Half, RowKind, ShadowModel } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import type { RowMetadata } from "../rows/stored-row.ts";

/**
 * The expected version. On a write: `n` must be the current one, 0 means that the shadow must not exist, and undefined accepts
 * any. Separate halves have separate versions.
 */
export type ExpectedVersion = number | { readonly [Name in Half]?: number | undefined } | undefined;

/** The shadow of an operation. */
export interface ShadowOperation {
  /** The thing. */
  readonly id: string;
  /** The shadow's name. @default "", the classic shadow */
  readonly name?: string;
  /** How this shadow is stored. @default the store's `model` */
  readonly model?: ShadowModel;
}

/** One shadow to read. */
export interface ReadOperation extends ShadowOperation {
  /** Only this half, if halves are stored separately. @default both */
  readonly half?: Half;
  /** Reject any other version. @default any version is accepted */
  readonly version?: ExpectedVersion;
}

/** One shadow to write. The combined model needs both halves; the separate model writes those that are given, both in one transaction. */
export interface WriteOperation extends ShadowOperation {
  /** The reported state; null for none. */
  readonly reported?: DocumentValue;
  /** The desired state; null for none. */
  readonly desired?: DocumentValue;
  /** @default undefined: any version */
  readonly version?: ExpectedVersion;
  /**
   * Write only if the stored shadow is still this one: its version, its time and both halves. For combined shadows without a
   * history, instead of `version`. @default undefined: no such condition
   */
  readonly replaces?: Shadow;
  /** Stored with the document, to identify its writer. @default "" */
  readonly clientToken?: string;
  /** When the values were set. Replaces the previous metadata. @default none */
  readonly metadata?: RowMetadata;
}

/** One shadow to delete. */
export interface DeleteOperation extends ShadowOperation {
  /** Only this half, if halves are stored separately. @default both */
  readonly half?: Half;
  /** Delete only this version. @default any */
  readonly version?: ExpectedVersion;
}

/** One stored half of a shadow. */
export interface StoredHalf {
  /** Null if the item has NULL. */
  readonly value: DocumentValue;
  readonly version: number;
  /** When it was written, in nanoseconds since 1970. */
  readonly timeStamp: bigint;
  readonly clientToken: string;
}

/** A stored shadow. A combined one has both halves, with one version. */
export interface Shadow extends ShadowId {
  readonly model: ShadowModel;
  readonly reported?: StoredHalf;
  readonly desired?: StoredHalf;
  readonly metadata: RowMetadata;
}

/** The versions of the halves that a write wrote, or a delete deleted. */
export interface WrittenShadow {
  readonly versions: { readonly [Name in Half]?: number };
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
}

/** The outcome of one operation. */
export interface OperationResult<Value> extends ShadowId {
  readonly outcome: Outcome<Value>;
}

/** An item of a list. */
export interface ListedRow extends ShadowId {
  readonly kind: RowKind;
  readonly version: number;
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
  readonly clientToken: string;
}

/** One page of a list. */
export interface ListPage {
  readonly rows: readonly ListedRow[];
  /** Where the next page begins; undefined after the last. Belongs to this list only. */
  readonly token?: string;
}

/** Options of a list. */
export interface ListOptions extends ShadowCallOptions {
  /** Only the shadows of this thing. @default the shadows of all things, by a scan of the table */
  readonly id?: string;
  /** Only items of this kind; with `id` only. @default all */
  readonly kind?: RowKind;
  /** Maximum number of rows per page. @default `maxReadBatchSize` */
  readonly limit?: number;
  /** The `token` of the previous page. @default the first page */
  readonly token?: string;
}

/** Options of a read. */
export interface ReadOptions extends ShadowCallOptions {
  /** Read separate halves as of one moment, at twice the price. @default false */
  readonly atomic?: boolean;
}

/** Shadows in a table. Operations do not affect each other: each has its own outcome, in the order of the input. */
export interface Shadows {
  /** The default model of operations. */
  readonly model: ShadowModel;
  /**
   * Reads shadows, strongly consistent.
   *
   * @example
   * const [lamp] = await shadows.read([{ id: "lamp" }]);
   */
  read(operations: readonly ReadOperation[], options?: ReadOptions): Promise<OperationResult<Shadow>[]>;
  /**
   * Writes shadows. Operations on one shadow run in order; others run `maxParallelism` at a time.
   *
   * @example
   * await shadows.write([{ id: "lamp", reported: { on: true }, desired: null, version: 0 }]);
   */
  write(
    operations: readonly WriteOperation[],
    options?: ShadowCallOptions,
  ): Promise<OperationResult<WrittenShadow>[]>;
  /**
   * Deletes shadows. Their versions are remembered for a while: a shadow that is created again continues from there.
   *
   * @example
   * await shadows.delete([{ id: "lamp", version: 7 }]);
   */
  delete(
    operations: readonly DeleteOperation[],
    options?: ShadowCallOptions,
  ): Promise<OperationResult<WrittenShadow>[]>;
  /**
   * Returns the version that a deleted shadow had, as long as it is remembered. Undefined if the shadow exists, or if no
   * version is remembered.
   *
   * @example
   * const version = await shadows.deletedVersion({ id: "lamp" });
   */
  deletedVersion(shadow: ShadowOperation, options?: ShadowCallOptions): Promise<number | undefined>;
  /**
   * Lists items; the items of a thing are in the order of their keys. Foreign items in the table are skipped; among many of them a
   * page may be short, or empty, and still have a token.
   *
   * @example
   * const { rows, token } = await shadows.list({ id: "lamp", limit: 10 });
   */
  list(options?: ListOptions): Promise<ListPage>;
  /**
   * Returns the names of a thing's shadows that exist in both models, which the original allows.
   *
   * @example
   * const names = await shadows.duplicates("lamp");
   */
  duplicates(id: string, options?: ShadowCallOptions): Promise<string[]>;
  /**
   * Resolves once the removal of old versions from histories has ended. It continues after the writes that caused it, so programs that
   * end or are suspended after each write, such as AWS Lambda functions, must wait for it.
   *
   * @example
   * await shadows.settle();
   */
  settle(): Promise<void>;
}
