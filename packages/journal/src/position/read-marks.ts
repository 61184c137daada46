import { batchGet } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { guardAttribute, type WriterState, writerState } from "../append/writer-item.ts";
import type { JournalContext } from "../journal-context.ts";
import { safeSequenceNr } from "../rows/row-attributes.ts";
import { type LowMark, noLowMark, readLowMark } from "./low-mark.ts";

/** What the small items of an id say. Marks are hints that save reads: a lost one hides nothing. */
export interface Marks {
  /** The highest high mark; 0 if none. */
  readonly high: number;
  /** Whether that one was written by us, together with the row of its number: then that row is lost if it is not there. */
  readonly isHighOurs: boolean;
  /** The highest low mark; 0 if none. Everything below it is deleted. */
  readonly low: number;
  /** The highest low mark where the layout keeps them: that of the original, which ours is written to once a delete is done. */
  readonly publishedLow: number;
  readonly highMarks: readonly number[];
  readonly lowMarks: readonly number[];
  /** The highest low mark, with what it remembers of the deletes before it. */
  readonly lowMark: LowMark;
  readonly writer: WriterState;
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
  const marked = (part: readonly (Item | undefined)[], attribute: string) =>
    part.flatMap((item) => (item?.[attribute]?.N === undefined ? [] : [item]));
  const names = layout.markAttributes;
  const highItems = marked(items.slice(0, high.length), names.high);
  const highMarks = highItems.map((item) => safeSequenceNr(item[names.high]?.N ?? "0"));
  const highest = highMarks.reduce((one, other) => Math.max(one, other), 0);
  const lowMarks = marked(items.slice(high.length, high.length + low.length), names.low).map((item) =>
    readLowMark(item, names.low),
  );
  const own = writerItem && readLowMark(writerItem, guardAttribute);
  const lowMark = [...lowMarks, ...(own === undefined ? [] : [own])].reduce(higherMark, noLowMark);
  const known = lowMarks.map(({ lowest }) => lowest);
  return {
    high: highest,
    isHighOurs: highItems[highMarks.indexOf(highest)]?.["wid"] !== undefined,
    low: lowMark.lowest,
    publishedLow: Math.max(0, ...known),
    highMarks,
    // A delete that was cut short has raised only the one in the writer item.
    lowMarks: known.includes(lowMark.lowest) || lowMark.lowest === 0 ? known : [...known, lowMark.lowest],
    lowMark,
    writer: writerState(writerItem),
  };
}

/** The higher of two marks; of two as high the one that says more. */
function higherMark(one: LowMark, other: LowMark): LowMark {
  if (other.lowest !== one.lowest) return other.lowest > one.lowest ? other : one;
  return other.rowsFrom >= one.rowsFrom ? other : one;
}
