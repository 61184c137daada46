import { batchGet } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { type WriterState, writerState } from "../append/writer-item.ts";
import type { JournalContext } from "../journal-context.ts";
import { numberOf } from "../layouts/layout.ts";

/** What the small items of an id say. Marks are hints that save reads: a lost one hides nothing. */
export interface Marks {
  /** The highest high mark; 0 if none. */
  readonly high: number;
  /** The highest low mark; 0 if none. Everything below it is deleted. */
  readonly low: number;
  readonly highMarks: readonly number[];
  readonly lowMarks: readonly number[];
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
  const items = await batchGet(port, keys, { consistent: true, clock, random, signal, deadlineMs });
  const valuesOf = (part: readonly (Item | undefined)[]) =>
    part.flatMap((item) => numberOf(item, layout.markAttribute) ?? []);
  const highMarks = valuesOf(items.slice(0, high.length));
  const lowMarks = valuesOf(items.slice(high.length, high.length + low.length));
  return {
    high: Math.max(0, ...highMarks),
    low: Math.max(0, ...lowMarks),
    highMarks,
    lowMarks,
    writer: writerState(items[items.length - 1]),
  };
}
