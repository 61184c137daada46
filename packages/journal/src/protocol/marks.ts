import { batchGet } from "@tablekeep/client";
import type { CallOptions, Item, TransactWriteItem } from "@tablekeep/core";
import { sendIdempotent } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import { type MarkWrite, numberOf } from "../layouts/layout.ts";
import { safeSequenceNr } from "../rows/row-attributes.ts";
import { guardAttribute, type WriterState, writerState } from "./writer-item.ts";

/** Our attributes on a low mark. The original's marks have none of them. */
export const lowMarkNames = {
  rowsFrom: "rows_from",
  tombsFrom: "tombs_from",
  tombsDue: "tombs_due",
} as const;

/**
 * A low mark: everything below `lowest` is deleted. It also records which part of that deletion is still to do. Ours is
 * in the writer item; if the layout has marks of the original, they follow it.
 */
export interface LowMark {
  readonly lowest: number;
  /** Below this sequence number there is no row; from here to `lowest` there may be, if a delete was interrupted. */
  readonly rowsFrom: number;
  /** Below this sequence number there is no tombstone. */
  readonly tombsFrom: number;
  /** When the tombstone at `tombsFrom` may be removed, in seconds since 1970. */
  readonly tombsDue: number;
}

/** No event was ever deleted. */
const noLowMark: LowMark = { lowest: 0, rowsFrom: 0, tombsFrom: 0, tombsDue: 0 };

/**
 * Reads a low mark. A mark of the original does not show whether its delete finished: there may be rows anywhere below
 * it.
 */
function readLowMark(item: Item, attribute: string): LowMark {
  return {
    lowest: safeSequenceNr(item[attribute]?.N ?? "0"),
    rowsFrom: numberOf(item, lowMarkNames.rowsFrom) ?? 0,
    tombsFrom: numberOf(item, lowMarkNames.tombsFrom) ?? 0,
    tombsDue: numberOf(item, lowMarkNames.tombsDue) ?? 0,
  };
}

/** The marks and the writer item of an id. Marks are hints that save reads: losing one hides nothing. */
export interface Marks {
  /** The highest high mark; 0 if none. */
  readonly high: number;
  /**
   * Whether that mark is ours. Ours are written together with the row of the same sequence number, so if that row is
   * missing, it was lost.
   */
  readonly isHighOurs: boolean;
  /** The highest low mark; 0 if none. Everything below it is deleted. */
  readonly low: number;
  /** The highest low mark in the original's place. Ours is copied there when a delete completes. */
  readonly publishedLow: number;
  readonly highMarks: readonly number[];
  readonly lowMarks: readonly number[];
  /** The highest low mark, with the progress of earlier deletes. */
  readonly lowMark: LowMark;
  readonly writer: WriterState;
  /**
   * The attribute of a mark that is there and is not a sequence number; undefined if there is none. Such a mark does not count: events are replayed,
   * and no sequence number may be assigned.
   */
  readonly damaged: string | undefined;
}

/** Reads all marks and the writer item of an id with one request (a hundred keys; more only with many shards). */
export async function readMarks(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<Marks> {
  const { layout, port, table, clock, random } = context;
  const { high, low } = layout.markKeys(persistenceId);
  const keys = [...high, ...low, layout.writerKey(persistenceId)].map((key) => ({ table, key }));
  const { signal, deadlineMs } = options;
  const items = await batchGet(port, keys, {
    consistent: true,
    maxKeys: context.maxBatchGet,
    clock,
    random,
    signal,
    deadlineMs,
  });
  const writerItem = items[items.length - 1];
  return marksOf(context, items.slice(0, high.length), items.slice(high.length, -1), writerItem);
}

/** Reads the marks and the writer item from their items. */
export function marksOf(
  { layout }: JournalContext,
  high: readonly (Item | undefined)[],
  low: readonly (Item | undefined)[],
  writerItem: Item | undefined,
): Marks {
  const marked = (part: readonly (Item | undefined)[], attribute: string) =>
    part.flatMap((item) => (item !== undefined && isMark(item, attribute) ? [item] : []));
  const isDamaged = (attribute: string) => (item: Item | undefined) =>
    item?.[attribute] !== undefined && !isMark(item, attribute);
  const names = layout.markAttributes;
  const highItems = marked(high, names.high);
  const highMarks = highItems.map((item) => safeSequenceNr(item[names.high]?.N ?? "0"));
  const highest = highMarks.reduce((one, other) => Math.max(one, other), 0);
  const lowMarks = marked(low, names.low).map((item) => readLowMark(item, names.low));
  const own =
    writerItem === undefined || isDamaged(guardAttribute)(writerItem)
      ? undefined
      : readLowMark(writerItem, guardAttribute);
  const lowMark = [...lowMarks, ...(own === undefined ? [] : [own])].reduce(higherMark, noLowMark);
  const known = lowMarks.map(({ lowest }) => lowest);
  const damaged = [
    ...(high.some(isDamaged(names.high)) ? [names.high] : []),
    ...(low.some(isDamaged(names.low)) ? [names.low] : []),
    ...(isDamaged(guardAttribute)(writerItem) ? [guardAttribute] : []),
  ];
  return {
    high: highest,
    isHighOurs: highItems[highMarks.indexOf(highest)]?.["wid"] !== undefined,
    low: lowMark.lowest,
    publishedLow: Math.max(0, ...known),
    highMarks,
    // An interrupted delete has raised only the mark in the writer item.
    lowMarks: known.includes(lowMark.lowest) || lowMark.lowest === 0 ? known : [...known, lowMark.lowest],
    lowMark,
    writer: writerState(writerItem),
    damaged: damaged[0],
  };
}

/** Whether an item has a sequence number, even one that JavaScript would round. Others may have stored anything there. */
function isMark(item: Item, attribute: string): boolean {
  return /^\d+$/.test(item[attribute]?.N ?? "");
}

/** The error for a mark that is not a sequence number. */
export function markCorrupt(persistenceId: string, attribute: string): JournalError<"JOURNAL_ROW_CORRUPT"> {
  const reason = "is not a sequence number";
  return new JournalError(
    "JOURNAL_ROW_CORRUPT",
    `a mark of ${JSON.stringify(persistenceId)}: ${attribute} ${reason}, and sequence numbers in use could be assigned again (restore the item from a backup)`,
    { persistenceId, sequenceNr: 0, attribute, reason },
  );
}

/** Returns the higher of two marks; of two equal ones, the one with more information. */
function higherMark(one: LowMark, other: LowMark): LowMark {
  if (other.lowest !== one.lowest) return other.lowest > one.lowest ? other : one;
  return other.rowsFrom >= one.rowsFrom ? other : one;
}

/**
 * Raises the high mark of an id for sequence number `reached`, unless the mark `known` is high enough; then returns
 * false. Rows in a bucket that no high mark names are found neither by the original nor by a recovery.
 */
export async function raiseHighMark(
  context: JournalContext,
  persistenceId: string,
  { known, reached }: { readonly known: number; readonly reached: number },
  options: Call,
): Promise<boolean> {
  const { layout, port, table } = context;
  const mark = layout.highMark(persistenceId, known, reached);
  if (mark === undefined) return false;
  return sendIdempotent(context, options, (call) => port.updateItem(markUpdate(table, mark), call));
}

/**
 * Raises a mark; marks are never lowered. It is an update because marks may share an item. A high mark that is written
 * together with its row gets the write id: if that row is missing later, it was lost. The original may lose a row and
 * keep the mark, which is not damage.
 */
export function markUpdate(
  TableName: string,
  { key, attribute, value }: MarkWrite,
  write?: { readonly first: number; readonly last: number; readonly writeId: string },
): NonNullable<TransactWriteItem["Update"]> {
  const isOfRow = write !== undefined && write.first <= value && value <= write.last;
  return {
    TableName,
    Key: key,
    UpdateExpression: isOfRow ? "SET #mark = :value, wid = :wid" : "SET #mark = :value REMOVE wid",
    ConditionExpression: `attribute_not_exists(#mark) OR #mark ${isOfRow ? "<=" : "<"} :value`,
    ExpressionAttributeNames: { "#mark": attribute },
    ExpressionAttributeValues: {
      ":value": { N: String(value) },
      ...(isOfRow && { ":wid": { S: write.writeId } }),
    },
  };
}
