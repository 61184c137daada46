import { batchGet, queryPages } from "@tablekeep/client";
import { type CallOptions, type Item, type LinkedSignal, linkSignals } from "@tablekeep/core";
import { callAborted } from "../context/calls.ts";
import type { JournalContext } from "../context/journal-context.ts";
import type { Layout, RowSpan } from "../layouts/layout.ts";
import { type EventRow, isSameWrite, type JournalRow, lastOfBatch } from "../rows/event-row.ts";
import { itemRows, rowsWithin } from "./item-rows.ts";
import { packedPages } from "./packed-pages.ts";

/**
 * Maximum number of rows in a page. More than a bucket has, so that a bucket takes one request; few enough that a page
 * of small events is processed soon: a megabyte of them is thousands of objects, which would outlive the young
 * generation of the heap.
 */
const pageRows = 500;

/** Rows of a span that were read before the upper end of a replay was known. */
export interface EarlyRows {
  readonly span: RowSpan;
  /** In order. */
  readonly rows: readonly JournalRow[];
  /** Whether these are all rows of the span. */
  readonly complete: boolean;
}

/**
 * Reads the first page of a span. Returns undefined if that fails: the failure recurs, and is reported, when the rows
 * are needed.
 */
export async function readEarly(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  options: CallOptions,
): Promise<EarlyRows | undefined> {
  const { port, table: TableName, layout } = context;
  const query = layout.spanQuery(persistenceId, span);
  if (query === undefined) return undefined;
  try {
    const input = { TableName, ...query, ConsistentRead: true, Limit: pageRows };
    const { Items = [], LastEvaluatedKey } = await port.query(input, options);
    const rows = Items.flatMap((item) => itemRows(context, persistenceId, item));
    return { span, rows, complete: LastEvaluatedKey === undefined };
  } catch {
    return undefined;
  }
}

/**
 * Divides a range into spans to read and rows that were read early. Early rows are used up to the first missing one:
 * they can no longer change, whatever was written while they were read. The rest is read again.
 */
function* piecesOf(
  layout: Layout,
  { from, to }: RowSpan,
  early: readonly EarlyRows[],
): Generator<RowSpan | readonly JournalRow[], void, undefined> {
  let at = from;
  while (at <= to) {
    const known = early.map((each) => unbroken(each.rows, at, to)).find(({ length }) => length > 0);
    if (known !== undefined) {
      yield known;
      at += known.length;
      continue;
    }
    const next = early.map(({ span }) => span.from).filter((begin) => begin > at && begin <= to);
    const end = Math.min(to, ...next.map((begin) => begin - 1));
    yield* layout.spans(at, end);
    at = end + 1;
  }
}

/**
 * Returns the rows from `at` up to `to`, or up to the first sequence number that is missing, deleted or not certainly
 * committed.
 */
function unbroken(rows: readonly JournalRow[], at: number, to: number): readonly EventRow[] {
  const known: EventRow[] = [];
  for (const row of rows) {
    // In the packed layout, dead staged items and tombstones of a compaction have sequence numbers that were read
    // already.
    if (row.sequenceNr < at + known.length) continue;
    if (row.sequenceNr > to || row.sequenceNr !== at + known.length || row.kind !== "event" || row.staged)
      break;
    known.push(row);
  }
  return known;
}

/**
 * Returns the events of a range if all of them were read early, and nothing about them is left to decide: they are ours, each
 * atomic write is whole, and none is staged or softly deleted. Undefined otherwise.
 */
export function readInFull(
  { from, to }: RowSpan,
  early: readonly EarlyRows[],
): readonly EventRow[] | undefined {
  const rows = early
    .map((each) => unbroken(each.rows, from, to))
    .find(({ length }) => length === to - from + 1);
  let before: EventRow | undefined;
  for (const row of rows ?? []) {
    const continues = before !== undefined && lastOfBatch(before) > before.sequenceNr;
    const isFirst = (row.batch?.index ?? 0) === 0;
    if (row.writeId === undefined || row.deleted === true || isFirst === continues) return undefined;
    if (before !== undefined && continues && !isSameWrite(before, row)) return undefined;
    before = row;
  }
  return before === undefined || lastOfBatch(before) > to ? undefined : rows;
}

/** Reads the rows of a range in order, page by page, with consistent reads. Spans are prefetched in parallel. */
export function readRows(
  context: JournalContext,
  persistenceId: string,
  range: RowSpan,
  options: CallOptions,
  early: readonly EarlyRows[] = [],
): AsyncGenerator<readonly JournalRow[], void, undefined> {
  const pieces = piecesOf(context.layout, range, early);
  return readPages(context, persistenceId, pieces, options, (items) => {
    const rows: JournalRow[] = [];
    for (const item of items) for (const row of itemRows(context, persistenceId, item)) rows.push(row);
    return context.layout.packed === undefined ? rows : rowsWithin(rows, range.from, range.to);
  });
}

/** Reads the same range as items, whatever they contain. For deletions, which must not fail on a corrupt row. */
export function readItems(
  context: JournalContext,
  persistenceId: string,
  range: RowSpan,
  options: CallOptions,
): AsyncGenerator<readonly Item[], void, undefined> {
  const spans = context.layout.spans(range.from, range.to);
  return readPages(context, persistenceId, spans, options, (items) => items);
}

/**
 * Reads pages, each converted by `read`. Pages are converted as they arrive, not when they are used: an item is dozens
 * of objects, a row is four, and the garbage collector copies what waits.
 */
async function* readPages<Row>(
  context: JournalContext,
  persistenceId: string,
  pieces: Iterable<RowSpan | readonly Row[]>,
  options: CallOptions,
  read: (items: readonly Item[]) => readonly Row[],
): AsyncGenerator<readonly Row[], void, undefined> {
  const ahead: SpanReader<Row>[] = [];
  let stop: LinkedSignal | undefined;
  let settings: ReturnType<typeof pageSettings> | undefined;
  // Short replays have read all their rows already, and fetch nothing that could be stopped.
  const startSpan = (span: RowSpan) => {
    stop ??= linkSignals(options.signal);
    settings ??= pageSettings(context, options, stop.signal);
    return startReading(pagesOf(context, persistenceId, span, settings), read);
  };
  const rest = pieces[Symbol.iterator]();
  const fetchAhead = () => {
    while (ahead.length < context.replayParallelism) {
      const { value: piece, done } = rest.next();
      if (done) return;
      ahead.push(isSpan(piece) ? startSpan(piece) : alreadyRead(piece));
    }
  };
  try {
    for (fetchAhead(); ahead.length > 0; fetchAhead()) {
      const reader = ahead[0] as SpanReader<Row>;
      const page = await reader.next();
      // Prefetched rows are not returned to a caller that has aborted.
      options.signal?.throwIfAborted();
      if (page === undefined) ahead.shift();
      else yield page;
    }
  } catch (error) {
    throw options.signal?.aborted ? callAborted(options.signal.reason) : error;
  } finally {
    if (ahead.length > 0) stop?.abort();
    stop?.release();
    for (const reader of ahead) reader.forget();
  }
}

/** Reads one span. Requests the first page at once, and others on demand. */
interface SpanReader<Row> {
  /** The next page; undefined after the last. */
  next(): Promise<readonly Row[] | undefined>;
  /** Abandons the reader; errors of pending requests are ignored. */
  forget(): void;
}

/** One page of items, as a query returns it. */
interface ItemPage {
  readonly Items?: readonly Item[];
}

function startReading<Row>(
  pages: AsyncGenerator<ItemPage, void, undefined>,
  read: (items: readonly Item[]) => readonly Row[],
): SpanReader<Row> {
  const nextPage = async () => {
    const { done, value } = await pages.next();
    return done ? undefined : read(value.Items ?? []);
  };
  let first: Promise<readonly Row[] | undefined> | undefined = nextPage();
  // Awaited later; until then, a failure must not count as an unhandled rejection.
  first.catch(() => undefined);
  return {
    next() {
      const page = first ?? nextPage();
      first = undefined;
      return page;
    },
    forget() {
      first = undefined;
      pages.return(undefined).catch(() => undefined);
    },
  };
}

function isSpan<Row>(piece: RowSpan | readonly Row[]): piece is RowSpan {
  return "from" in piece;
}

/** A page that was read before. */
function alreadyRead<Row>(rows: readonly Row[]): SpanReader<Row> {
  let page: readonly Row[] | undefined = rows;
  return {
    next() {
      const next = Promise.resolve(page);
      page = undefined;
      return next;
    },
    forget() {},
  };
}

/** The pages of a span. */
function pagesOf(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  settings: ReturnType<typeof pageSettings>,
): AsyncGenerator<ItemPage, void, undefined> {
  const { port, table, layout } = context;
  if (layout.packed !== undefined) return packedPages(context, persistenceId, span, settings);
  const query = layout.spanQuery(persistenceId, span);
  if (query === undefined) return pageByKey(context, persistenceId, span, settings);
  const input = { TableName: table, ...query, ConsistentRead: true, Limit: pageRows };
  return queryPages(port, input, settings);
}

/** For layouts without queries: reads the items of a span by key. */
async function* pageByKey(
  { port, table, layout, maxBatchGet: maxKeys }: JournalContext,
  persistenceId: string,
  span: RowSpan,
  settings: ReturnType<typeof pageSettings>,
): AsyncGenerator<ItemPage, void, undefined> {
  const keys = [];
  for (let at = span.from; at <= span.to; at++) keys.push({ table, key: layout.eventKey(persistenceId, at) });
  const items = await batchGet(port, keys, { consistent: true, maxKeys, ...settings });
  yield { Items: items.filter((item) => item !== undefined) };
}

/** Options of the paging and batch functions, for each request. */
export function pageSettings(
  { clock, random }: JournalContext,
  options: CallOptions,
  signal: AbortSignal | undefined = options.signal,
): CallOptions & Pick<JournalContext, "clock" | "random"> {
  return {
    clock,
    random,
    signal,
    // The remaining time of a call is read whenever it is needed.
    get deadlineMs() {
      return options.deadlineMs;
    },
  };
}
