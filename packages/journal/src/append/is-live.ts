import type { CallOptions } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { firstOfBatch, type JournalRow } from "../rows/event-row.ts";

/**
 * Whether a row counts. A row that was staged is live exactly when the commit record of its batch names its write id;
 * all others are, tombstones included: their number is taken.
 */
export async function isLive(
  context: JournalContext,
  persistenceId: string,
  row: JournalRow,
  options: CallOptions,
): Promise<boolean> {
  if (row.kind === "tombstone" || !row.staged) return true;
  return (await commitWriteId(context, persistenceId, firstOfBatch(row), options)) === row.writeId;
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
