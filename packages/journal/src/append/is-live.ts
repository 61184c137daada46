import type { CallOptions } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { firstOfBatch, type JournalRow } from "../rows/event-row.ts";

/**
 * Whether a row counts. A row that was staged is live exactly when the commit record of its batch names its write id;
 * all others are, tombstones included: their number is taken.
 */
export type IsLive = (row: JournalRow) => Promise<boolean>;

/** Tells which rows of an id count. Rows of one batch follow each other: the last answer is remembered. */
export function liveness(context: JournalContext, persistenceId: string, options: CallOptions): IsLive {
  let last:
    | { readonly first: number; readonly writeId: string | undefined; readonly live: boolean }
    | undefined;
  return async (row) => {
    if (row.kind === "tombstone" || !row.staged) return true;
    const first = firstOfBatch(row);
    const { writeId } = row;
    if (last === undefined || last.first !== first || last.writeId !== writeId) {
      const live = (await commitWriteId(context, persistenceId, first, options)) === writeId;
      last = { first, writeId, live };
    }
    return last.live;
  };
}

/** The write id that the commit record of a batch names. */
export async function commitWriteId(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  first: number,
  options: CallOptions,
): Promise<string | undefined> {
  const Key = layout.commitKey(persistenceId, first);
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, options);
  return Item?.["wid"]?.S;
}
