import type { Item, TransactWriteItem } from "@tablekeep/core";
import type { MarkWrite } from "../layouts/layout.ts";

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
  /** The high mark that goes with it; undefined if the id's marks say as much already. */
  readonly mark: MarkWrite | undefined;
  readonly alsoWrite: readonly TransactWriteItem[];
}
