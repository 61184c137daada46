import { transactGetGroups } from "@tablekeep/client";
import type { CallOptions, Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { firstOfBatch, type JournalRow } from "../rows/event-row.ts";
import { type Stage, writerState } from "./writer-item.ts";

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
      const live = (await visibleRecord(context, persistenceId, first, options)) === writeId;
      last = { first, writeId, live };
    }
    return last.live;
  };
}

/**
 * The write id that the commit record of a batch names as far as a plain read shows it. A record that is on its way may be
 * missing: a reader sees the batch later. A writer must not rely on it.
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

/** What the writer item of an id and the commit record of a batch say, both as of one moment. */
export interface CommitState {
  readonly stage: Stage | undefined;
  /** The write id that the commit record names. */
  readonly committed: string | undefined;
}

/**
 * Reads whether a batch is staged, committed or neither. Two plain reads are not conclusive: the items of a commit become
 * visible one by one, in any order, and in between a batch would seem to be neither. A transaction of reads waits for it.
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
