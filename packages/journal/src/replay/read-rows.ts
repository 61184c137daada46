import { batchGet, queryPages } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { callAborted } from "../append/pause-before-retry.ts";
import type { JournalContext } from "../journal-context.ts";
import type { RowSpan } from "../layouts/layout.ts";
import type { JournalRow } from "../rows/event-row.ts";
import { readRow } from "../rows/read-row.ts";

/** Reads the rows of a range of numbers, in order, page by page; strong reads. Spans are fetched ahead, in parallel. */
export async function* readRows(
  context: JournalContext,
  persistenceId: string,
  range: RowSpan,
  options: CallOptions,
): AsyncGenerator<readonly JournalRow[], void, undefined> {
  for await (const page of readItems(context, persistenceId, range, options)) {
    const rows: JournalRow[] = [];
    for (const item of page) {
      const row = readRow(context, persistenceId, item);
      if (row !== undefined) rows.push(row);
    }
    yield rows;
  }
}

/** The same as items, whatever they hold: for those who clear away, and must not stumble over a row that is damaged. */
export async function* readItems(
  context: JournalContext,
  persistenceId: string,
  range: RowSpan,
  options: CallOptions,
): AsyncGenerator<readonly Item[], void, undefined> {
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const ahead: SpanReader[] = [];
  const spans = context.layout.spans(range.from, range.to)[Symbol.iterator]();
  const fetchAhead = () => {
    while (ahead.length < context.replayParallelism) {
      const { value: span, done } = spans.next();
      if (done) return;
      ahead.push(startReading(context, persistenceId, span, withSignal(options, signal)));
    }
  };
  try {
    for (fetchAhead(); ahead.length > 0; fetchAhead()) {
      const reader = ahead[0] as SpanReader;
      const page = await reader.next();
      // What was fetched ahead is not given to a caller that has given up.
      options.signal?.throwIfAborted();
      if (page === undefined) ahead.shift();
      else yield page;
    }
  } catch (error) {
    throw options.signal?.aborted ? callAborted(options.signal.reason) : error;
  } finally {
    if (ahead.length > 0) stop.abort();
    for (const reader of ahead) reader.forget();
  }
}

/** One span being read: its first page is under way at once, further ones only when asked for. */
interface SpanReader {
  next(): Promise<readonly Item[] | undefined>;
  /** Nobody will ask any more: a failure of what is under way is nobody's. */
  forget(): void;
}

function startReading(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  options: CallOptions,
): SpanReader {
  const pages = spanPages(context, persistenceId, span, options);
  let first: Promise<IteratorResult<readonly Item[], void>> | undefined = pages.next();
  // Asked for later; until then a failure must not count as unhandled.
  first.catch(() => undefined);
  return {
    async next() {
      const result = await (first ?? pages.next());
      first = undefined;
      return result.done ? undefined : result.value;
    },
    forget() {
      first = undefined;
      pages.return(undefined).catch(() => undefined);
    },
  };
}

async function* spanPages(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  options: CallOptions,
): AsyncGenerator<readonly Item[], void, undefined> {
  const { port, table, layout } = context;
  const settings = pageSettings(context, options);
  const query = layout.spanQuery(persistenceId, span);
  if (query !== undefined) {
    const input = { TableName: table, ...query, ConsistentRead: true };
    for await (const { Items = [] } of queryPages(port, input, settings)) {
      yield Items;
    }
    return;
  }
  const keys = [];
  for (let at = span.from; at <= span.to; at++) keys.push({ table, key: layout.eventKey(persistenceId, at) });
  const items = await batchGet(port, keys, { consistent: true, maxKeys: context.maxBatchGet, ...settings });
  yield items.flatMap((item) => (item === undefined ? [] : [item]));
}

/** The same call with another signal. What is left of a call is read whenever it is needed. */
function withSignal(options: CallOptions, signal: AbortSignal): CallOptions {
  return {
    signal,
    get deadlineMs() {
      return options.deadlineMs;
    },
  };
}

/** What the helpers for pages and batches take, request by request. */
export function pageSettings(
  { clock, random }: JournalContext,
  options: CallOptions,
): CallOptions & Pick<JournalContext, "clock" | "random"> {
  return {
    clock,
    random,
    signal: options.signal,
    get deadlineMs() {
      return options.deadlineMs;
    },
  };
}
