import { transactGetGroups } from "@tablekeep/client";
import type { CallOptions, Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";

/**
 * Reads items by transactions, in order. The items of a transaction of writes become visible one by one, in any order; a
 * transaction of reads waits until all that it reads are visible. Items are read as of one moment as long as they fit one
 * transaction: 100 items, and 4 MB together. Beyond that a later item is read no earlier than the ones before it.
 */
export async function readTogether(
  { port, table, clock, random }: JournalContext,
  keys: readonly Key[],
  { signal, deadlineMs }: CallOptions,
): Promise<(Item | undefined)[]> {
  const gets = keys.map((Key) => [{ TableName: table, Key }]);
  return (await transactGetGroups(port, gets, { clock, random, signal, deadlineMs })).flat();
}
