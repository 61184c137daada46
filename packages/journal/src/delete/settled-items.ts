import { maxTransactActions } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { checkTime } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import type { RowSpan } from "../layouts/layout.ts";
import { itemSpan } from "../protocol/item-rows.ts";
import { readTogether } from "../protocol/liveness.ts";
import { readItems } from "../protocol/read-rows.ts";

/**
 * Reads the items of a span in order, whatever they contain. The rows of a transaction become visible one by one. If a
 * sequence number without a row belongs to the write of a visible row, or is among the last ones up to `highest`, its
 * row may not be visible yet: it is read again in a transaction, which waits for it. Otherwise, it would be left
 * behind.
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
  // The next sequence number, and the last one of the previous row's write. Sequence numbers begin at 1: below that, a
  // layout may store other items.
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
        const { first, last } = inOneTransaction(context, persistenceId, item);
        const missing = [
          ...numbers(next, Math.min(sequenceNr - 1, reach)),
          ...numbers(Math.max(next, reach + 1, first), Math.min(sequenceNr - 1, last)),
        ];
        yield* await onTheirWay(missing);
      }
      yield item;
      next = sequenceNr + 1;
      reach = inOneTransaction(context, persistenceId, item).last;
    }
  }
  const end = Math.min(span.to, highest);
  const missing = [
    ...numbers(next, Math.min(end, reach)),
    ...numbers(Math.max(next, reach + 1, end - maxTransactActions + 1), end),
  ];
  yield* await onTheirWay(missing);
}

/** Returns the sequence numbers that may have been written in the same transaction as an item. */
function inOneTransaction(
  context: JournalContext,
  persistenceId: string,
  item: Item,
): { readonly first: number; readonly last: number } {
  const { writeFirst: first, writeLast } = itemSpan(context, persistenceId, item);
  return { first, last: Math.min(writeLast, first + maxTransactActions - 1) };
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_unused, at) => from + at);
}

/**
 * Does the same for the packed layout. Its items are consecutive: one that is not visible yet begins after the end of
 * the one before it.
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
