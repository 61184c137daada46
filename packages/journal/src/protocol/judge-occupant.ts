import type { CallOptions, Item, TablekeepError } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { firstOfBatch, type JournalRow } from "../rows/event-row.ts";
import { itemRows } from "./item-rows.ts";
import { readCommitState } from "./liveness.ts";
import { raiseHighMark } from "./marks.ts";
import type { Verdict } from "./settle.ts";
import { writerState } from "./writer-item.ts";

/** Sequence numbers of dead rows, each with the write id under which it may be overwritten. */
export type DeadRows = Map<number, string>;

/** A sequence number of this id that is in use. */
export interface Occupied {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  /** The first sequence number of the write that needs this one. */
  readonly first: number;
  /** The id of that write. */
  readonly writeId: string;
  /** The existing item as DynamoDB returned it; read if it returned none. */
  readonly item: Item | undefined;
}

/**
 * Decides what a sequence number that is in use means for a write. A staged row may be overwritten only if, at one
 * moment, neither the writer item records it nor its commit record names it: then a writer died and left it behind.
 */
export async function judgeOccupant(
  context: JournalContext,
  occupied: Occupied,
  error: TablekeepError,
  dead: DeadRows,
  options: CallOptions,
): Promise<Verdict> {
  const verdict = await verdictOn(context, occupied, error, dead, options);
  const { persistenceId, sequenceNr, first } = occupied;
  // A row above unused sequence numbers, such as the original leaves after a failed batch. No high mark names its
  // bucket, so every recovery would end below it again. With the mark, the next one continues above it.
  if (verdict.kind === "others" && sequenceNr > first)
    await raiseHighMark(context, persistenceId, { known: 0, reached: sequenceNr }, options);
  return verdict;
}

async function verdictOn(
  context: JournalContext,
  occupied: Occupied,
  error: TablekeepError,
  dead: DeadRows,
  options: CallOptions,
): Promise<Verdict> {
  const { persistenceId, sequenceNr, writeId } = occupied;
  const item = occupied.item ?? (await readEventItem(context, persistenceId, sequenceNr, options));
  if (item === undefined) return { kind: "again" };
  if (item["wid"]?.S === writeId) return { kind: "mine" };
  const row = item["staged"]?.BOOL === true ? tryReadRow(context, persistenceId, item) : undefined;
  if (row?.kind !== "event" || !row.staged) return { kind: "others", error };
  const { stage, committed } = await readCommitState(context, persistenceId, firstOfBatch(row), options);
  if (stage?.writeId === row.writeId) return { kind: "passing", error };
  if (committed === row.writeId) return { kind: "others", error };
  dead.set(sequenceNr, row.writeId ?? "");
  return { kind: "changed" };
}

/** An unreadable row belongs to another write in any case. */
function tryReadRow(context: JournalContext, persistenceId: string, item: Item): JournalRow | undefined {
  try {
    return itemRows(context, persistenceId, item)[0];
  } catch {
    return undefined;
  }
}

/** The current writer item of an id. */
export async function readWriter(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<ReturnType<typeof writerState>> {
  const Key = layout.writerKey(persistenceId);
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, options);
  return writerState(Item);
}

/** Reads the item at a sequence number, whatever it contains. */
export async function readEventItem(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  options: CallOptions,
): Promise<Item | undefined> {
  const Key = layout.eventKey(persistenceId, sequenceNr);
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, options);
  return Item;
}
