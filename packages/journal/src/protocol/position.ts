import { type CallOptions, type Item, isTablekeepError, type Key } from "@tablekeep/core";
import { checkTime, pauseBeforeRetry } from "../context/calls.ts";
import { type Call, isShared, type JournalContext } from "../context/journal-context.ts";
import type { RowSpan } from "../layouts/layout.ts";
import { firstOfBatch, isMoved, type JournalRow, lastToCount } from "../rows/event-row.ts";
import { type CorruptEnd, type Head, readHead } from "./head.ts";
import { itemRows } from "./item-rows.ts";
import { type IsLive, liveness, readCommitState, readTogether } from "./liveness.ts";
import { type Marks, readMarks } from "./marks.ts";
import { readItems } from "./read-rows.ts";

/**
 * Returns whether a sequence number has a live row. Waits for a row, or a commit record, that is just becoming visible.
 */
async function isTaken(
  context: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  options: CallOptions,
): Promise<boolean> {
  const [item] = await readTogether(context, [context.layout.eventKey(persistenceId, sequenceNr)], options);
  const [row] = item === undefined ? [] : itemRows(context, persistenceId, item);
  if (row?.kind !== "event" || !row.staged) return row !== undefined;
  const { committed } = await readCommitState(context, persistenceId, firstOfBatch(row), options);
  return committed === row.writeId;
}

/** The position of an id. */
export interface Position extends Marks {
  /** The highest sequence number ever assigned, even if its event is deleted. */
  readonly highest: number;
  /** The lowest sequence number that is not deleted. */
  readonly lowest: number;
  /**
   * Whether the highest sequence number has a high mark of the original but no row: the original may lose an event and
   * keep its mark.
   */
  readonly endsInHole: boolean;
}

/** Reads the position of an id: its marks and writer item, then the end of the bucket that the high mark names. */
export async function readPosition(
  context: JournalContext,
  persistenceId: string,
  options: Call,
  corruptEnd?: CorruptEnd,
): Promise<Position> {
  const head = await readHead(context, persistenceId, options, corruptEnd);
  return positionFrom(context, persistenceId, head, options, head.seen, corruptEnd);
}

/**
 * Returns the highest of three sequence numbers: the high mark, the low mark less one, and the last row. `seen` is the
 * last live row of the span that the high mark names, if it was read already.
 */
export async function positionFrom(
  context: JournalContext,
  persistenceId: string,
  marks: Head,
  options: Call,
  seen: number | undefined = marks.seen,
  corruptEnd: CorruptEnd = "throws",
): Promise<Position> {
  const { layout } = context;
  let highest = Math.max(marks.high, marks.low - 1);
  let from = marks.high;
  let last = 0;
  for (let known = seen; ; known = undefined) {
    checkTime(options);
    const end = layout.endOfSpan(from);
    last = known ?? (await lastLiveRow(context, persistenceId, { from, to: end }, options, corruptEnd));
    if (last === 0 && from === marks.high && (await isLone(context, persistenceId, marks, options)))
      last = await lastLiveRow(context, persistenceId, { from, to: end }, options, corruptEnd);
    highest = Math.max(highest, last);
    // If a bucket is full, the next one is always read: its mark may be lost or not yet visible.
    const isFull = highest >= end;
    if (!isFull && (last === 0 || !context.highDistrust || end >= Number.MAX_SAFE_INTEGER)) break;
    const reached = isFull ? highest : end;
    const next = layout.endOfSpan(reached) === reached ? reached + 1 : reached;
    if (next <= from) break;
    from = next;
  }
  // Where deletes remove rows, an empty bucket may have lost its rows since the marks were read.
  if (last === 0 && isShared(context)) {
    const now = await readMarks(context, persistenceId, options);
    if (now.high !== marks.high || now.low !== marks.low)
      return positionFrom(context, persistenceId, now, options, undefined, corruptEnd);
  }
  const isHole = last === 0 && highest === marks.high && highest >= Math.max(1, marks.low);
  return { ...marks, highest, lowest: Math.max(1, marks.low), endsInHole: isHole && !marks.isHighOurs };
}

/**
 * Returns whether a high mark was seen before the rows that are written with it. Such a write is just becoming visible,
 * and only its rows contain its last sequence number. Deleted rows are not searched for.
 */
async function isLone(
  context: JournalContext,
  persistenceId: string,
  { high, low }: Marks,
  options: CallOptions,
): Promise<boolean> {
  return high >= Math.max(1, low) && (await isTaken(context, persistenceId, high, options));
}

/** How many rows to request at once after the first one, which is nearly always live. */
const searchPage = 100;

/** Returns the sequence number of the last live row of a span, or the last one of its batch; 0 if there is none. */
async function lastLiveRow(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  options: CallOptions,
  corruptEnd: CorruptEnd,
): Promise<number> {
  const isLive = liveness(context, persistenceId, options);
  const pages = lastRows(context, persistenceId, span, options, corruptEnd);
  for await (const page of pages) {
    const last = await lastLiveOf(page, isLive);
    if (last > 0) return last;
  }
  return 0;
}

/**
 * Returns the sequence number of the first live row of a reversed span, or the last one of its batch; 0 if there is
 * none.
 */
export async function lastLiveOf(rows: readonly JournalRow[], isLive: IsLive): Promise<number> {
  let last = 0;
  for (const row of rows) {
    if (!(await isLive(row))) continue;
    last = Math.max(last, lastToCount(row));
    if (!isMoved(row)) break;
  }
  return last;
}

/**
 * Reads the rows of a span in descending order. Only a missing LastEvaluatedKey marks the end: a page may be empty and
 * not the last.
 */
async function* lastRows(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  options: CallOptions,
  corruptEnd: CorruptEnd,
): AsyncGenerator<readonly JournalRow[], void, undefined> {
  if (span.from > span.to) return;
  const rowsOf = corruptEnd === "throws" ? itemRows : usedRows;
  const query = context.layout.spanQuery(persistenceId, span);
  if (query === undefined) {
    for await (const page of readItems(context, persistenceId, span, options))
      yield page.toReversed().flatMap((item) => rowsOf(context, persistenceId, item));
    return;
  }
  const input = { TableName: context.table, ...query, ConsistentRead: true, ScanIndexForward: false };
  let ExclusiveStartKey: Key | undefined;
  for (let Limit = 1; ; Limit = searchPage) {
    const { Items = [], LastEvaluatedKey } = await context.port.query(
      { ...input, Limit, ExclusiveStartKey },
      options,
    );
    yield Items.flatMap((item) => rowsOf(context, persistenceId, item));
    if (LastEvaluatedKey === undefined) return;
    ExclusiveStartKey = LastEvaluatedKey;
  }
}

/** Returns the rows of an item; of a corrupt one, that its number is in use. */
function usedRows(context: JournalContext, persistenceId: string, item: Item): readonly JournalRow[] {
  try {
    return itemRows(context, persistenceId, item);
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    return [{ kind: "tombstone", sequenceNr: context.layout.sequenceNrOf(persistenceId, item) }];
  }
}

/** Reads the position of an id after the appends that this journal object has in flight. */
export async function settledPosition(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<Position> {
  await context.writesUnderWay.ended(persistenceId, options);
  return readPosition(context, persistenceId, options);
}

/**
 * Reads the final position of an id after its epoch was raised. A write that was sent in time may still become visible,
 * item by item, but nothing of an earlier writer may appear after the takeover. So the next sequence number is read in
 * a read transaction, which waits for a write in flight.
 */
export async function finalPosition(
  context: JournalContext,
  persistenceId: string,
  head: Head,
  options: Call,
): Promise<Position> {
  let latest = head;
  for (let retry = 0; ; retry++) {
    const position = await positionFrom(context, persistenceId, latest, options);
    const next = position.highest + 1;
    if (next > Number.MAX_SAFE_INTEGER || !(await isTaken(context, persistenceId, next, options)))
      return position;
    await pauseBeforeRetry(context, retry, options);
    latest = await readHead(context, persistenceId, options);
  }
}
