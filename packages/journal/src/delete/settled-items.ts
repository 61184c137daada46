import { maxTransactActions } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { checkTime } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { numberOf, type RowSpan } from "../layouts/layout.ts";
import { itemSpan } from "../protocol/item-rows.ts";
import { readTogether } from "../protocol/liveness.ts";
import { readItems } from "../protocol/read-rows.ts";

/**
 * The items of a span, in order, whatever they hold. The rows of a transaction become visible one by one: a number without
 * one that belongs to the write of a row which is there, or that is among the last ones up to `highest`, may be on its way.
 * It is read again with a transaction, which waits for it; otherwise it would be left behind unnoticed.
 */
export async function* settledItems(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  highest: number,
  options: Call,
): AsyncGenerator<Item, void, undefined> {
  if (context.layout.packed !== undefined) {
    yield* settledPackedItems(context, persistenceId, span, highest, options);
    return;
  }
  // The next number, and the last one of the write that the row before it belongs to. Numbers begin at 1: below that a
  // layout may keep what is not an event.
  let next = Math.max(1, span.from);
  let reach = 0;
  const onTheirWay = async (sequenceNrs: readonly number[]) => {
    const keys = sequenceNrs.map((sequenceNr) => context.layout.eventKey(persistenceId, sequenceNr));
    return (await readTogether(context, keys, options)).filter((item) => item !== undefined);
  };
  checkTime(options);
  for await (const page of readItems(context, persistenceId, span, options)) {
    for (const item of page) {
      checkTime(options);
      const sequenceNr = context.layout.sequenceNrOf(persistenceId, item);
      if (sequenceNr > next) {
        const { first, last } = inOneTransaction(item, sequenceNr);
        const missing = [
          ...numbers(next, Math.min(sequenceNr - 1, reach)),
          ...numbers(Math.max(next, reach + 1, first), Math.min(sequenceNr - 1, last)),
        ];
        yield* await onTheirWay(missing);
      }
      yield item;
      next = sequenceNr + 1;
      reach = inOneTransaction(item, sequenceNr).last;
    }
  }
  const end = Math.min(span.to, highest);
  const missing = [
    ...numbers(next, Math.min(end, reach)),
    ...numbers(Math.max(next, reach + 1, end - maxTransactActions + 1), end),
  ];
  yield* await onTheirWay(missing);
}

/** The numbers that were written with one, at most: those of its write that a transaction holds. */
function inOneTransaction(item: Item, sequenceNr: number): { readonly first: number; readonly last: number } {
  const lastIndex = numberOf(item, "cnt") ?? 0;
  const first = sequenceNr - (numberOf(item, "idx") ?? 0);
  return { first, last: first + Math.min(lastIndex, maxTransactActions - 1) };
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_unused, at) => from + at);
}

/**
 * The same where an item holds several events. Items follow each other without a hole: one that is on its way begins where the
 * one before it ends.
 */
async function* settledPackedItems(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  highest: number,
  options: Call,
): AsyncGenerator<Item, void, undefined> {
  let next = Math.max(1, span.from);
  let reach = 0;
  const onTheirWay = async function* (end: number): AsyncGenerator<Item, void, undefined> {
    while (next <= end) {
      checkTime(options);
      const key = context.layout.eventKey(persistenceId, next);
      const [item] = await readTogether(context, [key], options);
      if (item === undefined) return;
      yield item;
      next = itemSpan(context, persistenceId, item).last + 1;
    }
  };
  checkTime(options);
  for await (const page of readItems(context, persistenceId, span, options)) {
    for (const item of page) {
      checkTime(options);
      const { first, last, writeFirst, writeLast } = itemSpan(context, persistenceId, item);
      if (first > next && (reach >= next || writeFirst < first)) yield* onTheirWay(first - 1);
      yield item;
      next = Math.max(next, last + 1);
      reach = Math.max(reach, writeLast);
    }
  }
  yield* onTheirWay(Math.min(span.to, highest));
}
