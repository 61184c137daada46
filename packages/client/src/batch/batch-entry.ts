import type { Item, Key } from "@tablekeep/core";

/** One put or delete of a batch. */
export type BatchWriteEntry =
  | { readonly table: string; readonly put: Item; readonly delete?: never }
  | { readonly table: string; readonly delete: Key; readonly put?: never };

/** One item to read in a batch. */
export interface BatchKey {
  readonly table: string;
  readonly key: Key;
}

/** One entry of either kind of batch. */
export type BatchEntry = BatchWriteEntry | BatchKey;
