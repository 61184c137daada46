import type { CallOptions, Key } from "@tablekeep/core";
import { checkTime, pauseBeforeRetry } from "../context/calls.ts";
import { type Call, isShared, type JournalContext } from "../context/journal-context.ts";
import type { RowSpan } from "../layouts/layout.ts";
import { firstOfBatch, isMoved, type JournalRow, lastToCount } from "../rows/event-row.ts";
import { type Head, readHead } from "./head.ts";
import { itemRows } from "./item-rows.ts";
import { type IsLive, liveness, readCommitState, readTogether } from "./liveness.ts";
import { type Marks, readMarks } from "./marks.ts";
import { readRows } from "./read-rows.ts";

/** Whether a number has a row that counts. Waits for one that becomes visible just now, and for what makes it count. */
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
  /** The highest number that was ever given, also if its event is deleted. */
  readonly highest: number;
  /** The lowest number that is not deleted. */
  readonly lowest: number;
  /** Whether the highest number has a high mark of the original and no row: it may lose an event and keep the mark. */
  readonly endsInHole: boolean;
}

/** Reads the position of an id: the small items, then the end of the bucket that the high mark names. */
export async function readPosition(
  context: JournalContext,
  persistenceId: string,
  options: Call,
): Promise<Position> {
  const head = await readHead(context, persistenceId, options);
  return positionFrom(context, persistenceId, head, options);
}

/**
 * The highest number is that of the high mark, of the low mark less one, or of the last row, whichever is highest. `seen`
 * is the last live number of the span that the high mark names, if it is known already.
 */
export async function positionFrom(
  context: JournalContext,
  persistenceId: string,
  marks: Head,
  options: Call,
  seen: number | undefined = marks.seen,
): Promise<Position> {
  const { layout } = context;
  let highest = Math.max(marks.high, marks.low - 1);
  let from = marks.high;
  let last = 0;
  for (let known = seen; ; known = undefined) {
    checkTime(options);
    const end = layout.endOfSpan(from);
    last = known ?? (await lastLiveRow(context, persistenceId, from, end, options));
    if (last === 0 && from === marks.high && (await isLone(context, persistenceId, marks, options)))
      last = await lastLiveRow(context, persistenceId, from, end, options);
    highest = Math.max(highest, last);
    // Where a number ends its bucket the next one is read, always: its mark may be lost, or on its way.
    const isFull = highest >= end;
    if (!isFull && (last === 0 || !context.highDistrust || end >= Number.MAX_SAFE_INTEGER)) break;
    const reached = isFull ? highest : end;
    const next = layout.endOfSpan(reached) === reached ? reached + 1 : reached;
    if (next <= from) break;
    from = next;
  }
  // Where deletes remove rows, a bucket without any may have lost them since the marks were read.
  if (last === 0 && isShared(context)) {
    const now = await readMarks(context, persistenceId, options);
    if (now.high !== marks.high || now.low !== marks.low)
      return positionFrom(context, persistenceId, now, options);
  }
  const isHole = last === 0 && highest === marks.high && highest >= Math.max(1, marks.low);
  return { ...marks, highest, lowest: Math.max(1, marks.low), endsInHole: isHole && !marks.isHighOurs };
}

/**
 * Whether a high mark was seen before any row from its number on, which is written with it: such a write becomes visible just
 * now, and only its rows contain its last sequence number. Rows that are deleted are not searched for.
 */
async function isLone(
  context: JournalContext,
  persistenceId: string,
  { high, low }: Marks,
  options: CallOptions,
): Promise<boolean> {
  return high >= Math.max(1, low) && (await isTaken(context, persistenceId, high, options));
}

/** How many rows are asked for at once after the first, which is nearly always live. */
const searchPage = 100;

/** The number of the last live row from `from` to `end`, or of the batch that it belongs to; 0 if there is none. */
async function lastLiveRow(
  context: JournalContext,
  persistenceId: string,
  from: number,
  end: number,
  options: CallOptions,
): Promise<number> {
  const isLive = liveness(context, persistenceId, options);
  const pages = lastRows(context, persistenceId, { from, to: end }, options);
  for await (const page of pages) {
    const last = await lastLiveOf(page, isLive);
    if (last > 0) return last;
  }
  return 0;
}

/** The number of the first live row of these, the last of a span first, or of the batch that it belongs to; 0 if there is none. */
export async function lastLiveOf(rows: readonly JournalRow[], isLive: IsLive): Promise<number> {
  let last = 0;
  for (const row of rows) {
    if (!(await isLive(row))) continue;
    last = Math.max(last, lastToCount(row));
    if (!isMoved(row)) break;
  }
  return last;
}

/** The rows of a span, the last first. Only LastEvaluatedKey marks the end: a page may be empty and not the last. */
async function* lastRows(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  options: CallOptions,
): AsyncGenerator<readonly JournalRow[], void, undefined> {
  if (span.from > span.to) return;
  const query = context.layout.spanQuery(persistenceId, span);
  if (query === undefined) {
    yield await rowsByKey(context, persistenceId, span, options);
    return;
  }
  const input = { TableName: context.table, ...query, ConsistentRead: true, ScanIndexForward: false };
  let ExclusiveStartKey: Key | undefined;
  for (let Limit = 1; ; Limit = searchPage) {
    const { Items = [], LastEvaluatedKey } = await context.port.query(
      { ...input, Limit, ExclusiveStartKey },
      options,
    );
    yield Items.flatMap((item) => itemRows(context, persistenceId, item));
    if (LastEvaluatedKey === undefined) return;
    ExclusiveStartKey = LastEvaluatedKey;
  }
}

/** Where nothing can be queried: all rows of the span by key, the last first. */
async function rowsByKey(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  options: CallOptions,
): Promise<JournalRow[]> {
  const rows: JournalRow[] = [];
  for await (const page of readRows(context, persistenceId, span, options)) rows.push(...page);
  return rows.reverse();
}

/** The position of an id once the appends that this journal object has in flight have ended. */
export async function settledPosition(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<Position> {
  await context.writesUnderWay.ended(persistenceId, options);
  return readPosition(context, persistenceId, options);
}

/**
 * Where an id stands once its epoch was raised, for good: a write that was in time may still become visible, item by item,
 * and nothing of an earlier writer may appear once the id is taken over. The next number is read with a transaction of
 * reads, which waits for one that is in flight.
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
