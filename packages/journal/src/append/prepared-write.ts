import type { Item, TransactWriteItem } from "@tablekeep/core";
import type { EventRow } from "../rows/event-row.ts";

/** One atomic write, encoded and checked, with its numbers: what is left is to send it. */
export interface PreparedWrite {
  readonly persistenceId: string;
  /** On all its rows; "my own earlier success" means the same write id, never just the same writer and number. */
  readonly writeId: string;
  readonly first: number;
  readonly last: number;
  readonly rows: readonly EventRow[];
  /** The items without their keys, in the order of the rows. */
  readonly attributes: readonly Item[];
  readonly alsoWrite: readonly TransactWriteItem[];
}
