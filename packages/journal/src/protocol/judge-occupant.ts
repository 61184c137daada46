import type { CallOptions, Item, TablekeepError } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { firstOfBatch, type JournalRow } from "../rows/event-row.ts";
import { itemRows } from "./item-rows.ts";
import { readCommitState } from "./liveness.ts";
import { raiseHighMark } from "./marks.ts";
import type { Verdict } from "./settle.ts";
import { writerState } from "./writer-item.ts";

/** Numbers whose rows are dead, with the write id under which each may be overwritten. */
export type DeadRows = Map<number, string>;

/** A number of this id that is taken. */
export interface Occupied {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  /** The first number of the write that wanted this one. */
  readonly first: number;
  /** The id of that write. */
  readonly writeId: string;
  /** The existing item as DynamoDB returned it; read if it returned none. */
  readonly item: Item | undefined;
}

/**
 * The meaning of a sequence number that is in use. A staged row may be taken over only if at one moment it is neither recorded in the
 * writer item nor named by its commit record: then it is the leftover of a writer that died.
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
  // A row above numbers that are free, such as the original leaves of a batch that failed: no high mark names its bucket,
  // and every recovery would end below it again. With the mark the next one continues above it.
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
  const item = occupied.item ?? (await readItem(context, persistenceId, sequenceNr, options));
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

/** A row that cannot be read is another's anyway. */
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

/** The item at a number, whatever it is. */
export async function readItem(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  options: CallOptions,
): Promise<Item | undefined> {
  const Key = layout.eventKey(persistenceId, sequenceNr);
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, options);
  return Item;
}
