import { batchGet } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { type WriterState, writerState } from "../append/writer-item.ts";
import type { JournalContext } from "../journal-context.ts";
import { safeSequenceNr } from "../rows/row-attributes.ts";
import { type LowMark, noLowMark, readLowMark } from "./low-mark.ts";

/** What the small items of an id say. Marks are hints that save reads: a lost one hides nothing. */
export interface Marks {
  /** The highest high mark; 0 if none. */
  readonly high: number;
  /** The highest low mark; 0 if none. Everything below it is deleted. */
  readonly low: number;
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
  const marked = (part: readonly (Item | undefined)[], attribute: string) =>
    part.flatMap((item) => (item?.[attribute]?.N === undefined ? [] : [item]));
  const names = layout.markAttributes;
  const highMarks = marked(items.slice(0, high.length), names.high).map((item) =>
    safeSequenceNr(item[names.high]?.N ?? "0"),
  );
  const lowMarks = marked(items.slice(high.length, high.length + low.length), names.low).map((item) =>
    readLowMark(item, names.low),
  );
  const lowMark = lowMarks.reduce((one, other) => (other.lowest > one.lowest ? other : one), noLowMark);
  return {
    high: highMarks.reduce((one, other) => Math.max(one, other), 0),
    low: lowMark.lowest,
    highMarks,
    lowMarks: lowMarks.map(({ lowest }) => lowest),
    lowMark,
    writer: writerState(items[items.length - 1]),
  };
}
