import { transactGetGroups } from "@tablekeep/client";
import type { CallOptions, Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { firstOfBatch, type JournalRow } from "../rows/event-row.ts";
import { type Stage, writerState } from "./writer-item.ts";

/**
 * Reads items in read transactions, in order. The items of a write transaction become visible one by one, in any order;
 * a read transaction waits until everything it reads is visible. Up to 100 items and 4 MB are read as of one moment.
 * Beyond that, an item is never read earlier than the ones before it.
 */
export async function readTogether(
  { port, table, clock, random }: JournalContext,
  keys: readonly Key[],
  { signal, deadlineMs }: CallOptions,
): Promise<(Item | undefined)[]> {
  const gets = keys.map((Key) => [{ TableName: table, Key }]);
  return (await transactGetGroups(port, gets, { clock, random, signal, deadlineMs })).flat();
}

/**
 * Whether a row is live. A staged row is live exactly when the commit record of its batch names its write id. All
 * others are live, including tombstones: their sequence numbers are in use.
 */
export type IsLive = (row: JournalRow) => Promise<boolean>;

/** Returns which rows of an id are live. Rows of one batch are consecutive, so the last result is cached. */
export function liveness(context: JournalContext, persistenceId: string, options: CallOptions): IsLive {
  let last:
    | { readonly first: number; readonly writeId: string | undefined; readonly live: boolean }
    | undefined;
  return async (row) => {
    if (row.kind === "tombstone" || !row.staged) return true;
    const first = firstOfBatch(row);
    const { writeId } = row;
    if (last === undefined || last.first !== first || last.writeId !== writeId) {
      const live = (await visibleRecord(context, persistenceId, first, options)) === writeId;
      last = { first, writeId, live };
    }
    return last.live;
  };
}

/**
 * Returns the write id in the commit record of a batch, by a plain read. A record that is just becoming visible may be
 * missing; a reader then sees the batch later. A writer must not rely on this.
 */
async function visibleRecord(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  first: number,
  options: CallOptions,
): Promise<string | undefined> {
  const Key = layout.commitKey(persistenceId, first);
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, options);
  return Item?.["wid"]?.S;
}

/** The writer item of an id and the commit record of a batch, as of one moment. */
export interface CommitState {
  readonly stage: Stage | undefined;
  /** The write id in the commit record. */
  readonly committed: string | undefined;
}

/**
 * Reads whether a batch is staged, committed or neither. Two plain reads are not conclusive: the items of a commit
 * become visible one by one, in any order, and in between a batch would seem to be neither. A read transaction waits
 * for them.
 */
export async function readCommitState(
  context: JournalContext,
  persistenceId: string,
  first: number,
  options: CallOptions,
): Promise<CommitState> {
  const { layout } = context;
  const keys = [layout.writerKey(persistenceId), layout.commitKey(persistenceId, first)];
  const [writer, record] = await readTogether(context, keys, options);
  return { stage: writerState(writer).stage, committed: record?.["wid"]?.S };
}
