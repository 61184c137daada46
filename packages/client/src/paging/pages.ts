import {
  type CallOptions,
  type DynamoPort,
  type Item,
  type Key,
  linkSignals,
  type OptionChecks,
  optionCheck,
  type QueryInput,
  type QueryOutput,
  type ScanInput,
  type ScanOutput,
} from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../base/check-options.ts";
import { type OperationOptions, operationOptionChecks, startOperation } from "../retry/operation.ts";

/** Options of the page iterators. `deadlineMs` applies to each page, not to the time between pages. */
export interface PageOptions extends OperationOptions {
  /**
   * Maximum number of items, over all pages. No more are read than needed: with a filter, pages are as small as the number
   * of items still wanted. To read whole pages under a filter, leave it out and stop iterating. @default no limit
   */
  readonly limit?: number;
}

/** One page, as Query and Scan return it. */
interface Page {
  readonly Items?: Item[];
  readonly Count?: number;
  readonly LastEvaluatedKey?: Key;
}

/** How many items a page holds; one that only counts has no `Items`. */
function pageCount(page: Page): number {
  return page.Count ?? page.Items?.length ?? 0;
}

/** The smaller of the caller's page size and the number of items still wanted; undefined for full pages. */
function pageLimit(pageSize: number | undefined, wanted: number): number | undefined {
  const smaller = Math.min(pageSize ?? Number.POSITIVE_INFINITY, wanted);
  return smaller === Number.POSITIVE_INFINITY ? undefined : smaller;
}

/** The checks of {@link PageOptions}. */
const pageOptionChecks: OptionChecks<PageOptions> = {
  ...operationOptionChecks,
  limit: optionCheck.integer(0),
};

/** Reads one page from `start`, evaluating at most `limit` items. */
type ReadPage<Output extends Page> = (
  start: Key | undefined,
  limit: number | undefined,
  options: CallOptions,
) => Promise<Output>;

/**
 * Yields pages until there is no LastEvaluatedKey, or the limit is reached. Only the key marks the end: a page may be
 * empty and be followed by others. A page never holds more items than are wanted, so its key is always where to continue.
 */
async function* followPages<Output extends Page>(
  read: ReadPage<Output>,
  from: { readonly start?: Key; readonly pageSize?: number },
  options: PageOptions,
): AsyncGenerator<Output, void, undefined> {
  checkOptions(options, pageOptionChecks);
  let wanted = options.limit ?? Number.POSITIVE_INFINITY;
  let { start } = from;
  while (wanted > 0) {
    const { deadline } = startOperation(options);
    deadline.check();
    const page = await read(start, pageLimit(from.pageSize, wanted), deadline.callOptions());
    wanted -= pageCount(page);
    start = page.LastEvaluatedKey;
    yield page;
    if (start === undefined) return;
  }
}

/** The items of pages, one by one. */
async function* itemsOf(pages: AsyncIterable<Page>): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* page.Items ?? [];
}

/**
 * Yields the pages of a query in key order, each fetched when the consumer requests it. `input.Limit` is the size of a page,
 * `options.limit` the maximum number of items in all; `input.ExclusiveStartKey` is where to begin.
 *
 * @example
 * for await (const { Items = [] } of queryPages(port, input)) console.log(Items.length);
 */
export function queryPages(
  port: DynamoPort,
  input: QueryInput,
  options: PageOptions = {},
): AsyncGenerator<QueryOutput, void, undefined> {
  const from = { start: input.ExclusiveStartKey, pageSize: input.Limit };
  const inputAt = (start: Key | undefined, limit: number | undefined) =>
    start === from.start && limit === from.pageSize
      ? input
      : { ...input, ExclusiveStartKey: start, Limit: limit };
  return followPages<QueryOutput>(
    (start, limit, call) => port.query(inputAt(start, limit), call),
    from,
    options,
  );
}

/**
 * Yields the items of a query in key order; see {@link queryPages}.
 *
 * @example
 * for await (const item of queryItems(port, input, { limit: 100 })) console.log(item);
 */
export function queryItems(
  port: DynamoPort,
  input: QueryInput,
  options: PageOptions = {},
): AsyncGenerator<Item, void, undefined> {
  return itemsOf(queryPages(port, input, options));
}

/** Options of the scan iterators. */
export interface ScanOptions extends PageOptions {
  /**
   * Number of segments that are read in parallel. At most one page of each is held, and pages come as they are ready.
   * @default 1
   */
  readonly segments?: number;
}

const checks: OptionChecks<ScanOptions> = { ...pageOptionChecks, segments: optionCheck.integer(1) };

/**
 * Yields the pages of a table or index, each fetched when the consumer requests it. `input.Limit` is the size of a page,
 * `options.limit` the maximum number of items in all.
 *
 * @example
 * for await (const { Items = [] } of scanPages(port, { TableName: "carts" }, { segments: 4 })) console.log(Items.length);
 */
export async function* scanPages(
  port: DynamoPort,
  input: ScanInput,
  options: ScanOptions = {},
): AsyncGenerator<ScanOutput, void, undefined> {
  checkOptions(options, checks);
  const { segments = 1, ...paging } = options;
  if (segments > 1) yield* followSegments(port, input, segments, paging);
  else
    yield* followPages<ScanOutput>(
      (start, limit, call) => port.scan({ ...input, ExclusiveStartKey: start, Limit: limit }, call),
      { start: input.ExclusiveStartKey, pageSize: input.Limit },
      paging,
    );
}

/**
 * Yields the items of a table or index; see {@link scanPages}.
 *
 * @example
 * for await (const item of scanItems(port, { TableName: "carts" })) console.log(item);
 */
export function scanItems(
  port: DynamoPort,
  input: ScanInput,
  options: ScanOptions = {},
): AsyncGenerator<Item, void, undefined> {
  return itemsOf(scanPages(port, input, options));
}

/** The position of one segment. */
interface Segment {
  readonly number: number;
  readonly start: Key | undefined;
}

interface SegmentPage {
  readonly segment: Segment;
  readonly page: ScanOutput;
  /** How much of the limit was assigned to this request. */
  readonly share: number;
}

/**
 * Scans all segments at once and yields their pages as they arrive. Under a limit, each request gets a share of the items
 * still wanted and returns what it did not need: together they never read more than requested.
 */
async function* followSegments(
  port: DynamoPort,
  input: ScanInput,
  segments: number,
  options: PageOptions,
): AsyncGenerator<ScanOutput, void, undefined> {
  if (input.ExclusiveStartKey !== undefined || input.Segment !== undefined)
    throw optionInvalid("segments", "cannot be used with ExclusiveStartKey or Segment in the input");
  const stopped = linkSignals(options.signal);
  const { signal } = stopped;
  const idle: Segment[] = Array.from({ length: segments }, (_, number) => ({ number, start: undefined }));
  const running = new Map<number, Promise<SegmentPage>>();
  let free = options.limit ?? Number.POSITIVE_INFINITY;

  const read = async (segment: Segment, share: number): Promise<SegmentPage> => {
    const { deadline } = startOperation({ ...options, signal });
    const place = { Segment: segment.number, TotalSegments: segments, ExclusiveStartKey: segment.start };
    const Limit = pageLimit(input.Limit, share);
    const page = await port.scan({ ...input, ...place, Limit }, deadline.callOptions());
    return { segment, page, share };
  };
  try {
    for (;;) {
      for (let next = idle.shift(); next !== undefined; next = idle.shift()) {
        const share = Math.ceil(free / (idle.length + 1));
        if (share === 0) {
          idle.unshift(next);
          break;
        }
        if (free !== Number.POSITIVE_INFINITY) free -= share;
        const page = read(next, share);
        // Awaited below; until then its rejection must not count as unhandled.
        page.catch(() => {});
        running.set(next.number, page);
      }
      if (running.size === 0) return;
      const { segment, page, share } = await Promise.race(running.values());
      running.delete(segment.number);
      free += share - pageCount(page);
      if (page.LastEvaluatedKey !== undefined)
        idle.push({ number: segment.number, start: page.LastEvaluatedKey });
      yield page;
    }
  } finally {
    stopped.abort();
    await Promise.allSettled(running.values());
  }
}
