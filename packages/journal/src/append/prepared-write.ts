import type { Item, TransactWriteItem } from "@tablekeep/core";

/** One atomic write, encoded and checked, with its numbers: what is left is to send it. */
export interface PreparedWrite {
  readonly persistenceId: string;
  /** On all its rows; "my own earlier success" means the same write id, never just the same writer and number. */
  readonly writeId: string;
  readonly first: number;
  readonly last: number;
  /** The items of its rows, in order. */
  readonly items: readonly Item[];
  /** The size of each item as DynamoDB counts it, in bytes. */
  readonly sizes: readonly number[];
  readonly alsoWrite: readonly TransactWriteItem[];
}
