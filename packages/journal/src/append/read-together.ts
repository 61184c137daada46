import { maxTransactActions, transactGet } from "@tablekeep/client";
import type { CallOptions, Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";

/**
 * Reads items as of one moment, each hundred of them. The items of a transaction of writes become visible one by one, in any
 * order; a transaction of reads waits for the end of that, and whoever reads them later sees what it saw.
 */
export async function readTogether(
  { port, table, clock, random }: JournalContext,
  keys: readonly Key[],
  { signal, deadlineMs }: CallOptions,
): Promise<(Item | undefined)[]> {
  const items: (Item | undefined)[] = [];
  for (let at = 0; at < keys.length; at += maxTransactActions) {
    const gets = keys.slice(at, at + maxTransactActions).map((Key) => ({ TableName: table, Key }));
    items.push(...(await transactGet(port, gets, { clock, random, signal, deadlineMs })));
  }
  return items;
}
