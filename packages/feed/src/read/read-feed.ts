import type { CallOptions } from "@tablekeep/core";
import type { JournalEvent } from "@tablekeep/journal";
import type { JournalChanges } from "@tablekeep/journal/changes";
import { positionOutdated } from "../feed-error.ts";
import { eventCount, type FeedPage, type FeedRef } from "../pages/page.ts";
import { countContinuing, readAgain } from "../pages/page-chain.ts";
import { entityTypeOf, isInRange, slicesInRange, virtualSlices } from "../pages/slices.ts";
import type { FeedRecord } from "../store/feed-record.ts";
import type { FeedEvent, ReadFeedOptions } from "./feed-event.ts";
import { encodePosition, type PageCursor, passedPage, positionInvalid } from "./feed-position.ts";
import { type CheckContext, checkPassed, restoredAdvice } from "./passed-pages.ts";
import { readEach, readOneByOne, type UnreadEvent } from "./read-each.ts";
import { startCursors } from "./start-cursors.ts";

/** Dependencies of reading a feed. */
export interface ReadContext extends CheckContext {
  readonly changes: JournalChanges;
  /** Waits until there may be new pages. False once the signal aborts. */
  readonly waitForPages: (idleRounds: number, signal: AbortSignal | undefined) => Promise<boolean>;
}

const allSlices = { from: 0, to: virtualSlices - 1 };
/** The maximum number of pages, of all slices, that one request reads. */
const pagesAtOnce = 64;
/** After this many rounds without a result, a live reader checks whether the feed has another generation. */
const roundsPerCheck = 16;
/** After this many, it reads a page that it has passed: the table may have been replaced. One slice at a time, because a page may be large. */
const roundsPerPassed = 64;
/** The number of writes that are read from the journal at once. */
const writesAtOnce = 100;

/** Reads a feed, some events at a time. Each slice is read in order; the slices are read in turn. */
export async function* readFeed(
  context: ReadContext,
  options: ReadFeedOptions,
): AsyncGenerator<readonly FeedEvent[], void, undefined> {
  const { signal, deadlineMs, live = false } = options;
  const call = { signal, deadlineMs };
  const cursors = await startCursors(context, options, call);
  const slices = slicesInRange(options.slices ?? allSlices, context.record.slices);
  let open = [...slices];
  for (let idle = 0; open.length > 0; ) {
    // A read that waits for new pages costs as little as it can. Pages never change, so it may find a page late, but never a wrong one.
    const perSlice = idle > 0 ? 1 : Math.max(1, Math.floor(pagesAtOnce / open.length));
    const rounds = await readRound(context, cursors, open, { perSlice, consistent: idle === 0 }, call);
    for (const { slice, pages } of rounds)
      for (const page of pages) yield* eventsOfPage(context, cursors, slice, page, options);
    if (signal?.aborted) return;
    const found = rounds.filter(({ pages }) => pages.length > 0);
    idle = found.length > 0 ? 0 : idle + 1;
    if (!live) open = found.map(({ slice }) => slice);
    else if (found.length === 0 && !(await context.waitForPages(idle, signal))) return;
    if (idle > 0 && idle % roundsPerCheck === 0) await checkSlices(context, cursors, false);
    if (idle > 0 && idle % roundsPerPassed === 0) {
      const passed = slices.filter((slice) => passedPage(cursors[slice] as PageCursor) >= 0);
      const [next = -1] = passed.slice((idle / roundsPerPassed) % passed.length);
      if (next >= 0) await checkPassed(context, cursors, [next], call);
    }
  }
  // The pages of an old generation are removed: one that is missing need not be the end.
  await checkSlices(context, cursors, true);
}

/** Throws unless the feed has the generation and the slices that are read. */
async function checkSlices(
  { record, checkGeneration }: ReadContext,
  cursors: readonly PageCursor[],
  consistent: boolean,
): Promise<void> {
  const slices = await checkGeneration(consistent);
  if (slices === record.slices) return;
  const position = encodePosition(record.generation, cursors);
  throw positionInvalid(
    position,
    `the feed has ${slices} slices, and not ${record.slices} (${restoredAdvice})`,
  );
}

interface Round {
  readonly slice: number;
  readonly pages: readonly FeedPage[];
}

/** Reads the next pages of several slices with one request. */
async function readRound(
  context: ReadContext,
  cursors: readonly PageCursor[],
  slices: readonly number[],
  { perSlice, consistent }: { readonly perSlice: number; readonly consistent: boolean },
  call: CallOptions,
): Promise<Round[]> {
  const { store, record } = context;
  const { generation } = record;
  const keys = slices.flatMap((slice) =>
    Array.from({ length: perSlice }, (_unused, at) => ({
      generation,
      slice,
      number: (cursors[slice]?.page ?? 0) + at,
    })),
  );
  const pages = await store.pages.readAll(keys, call, consistent);
  const rounds: Round[] = [];
  for (const [at, slice] of slices.entries()) {
    const own = pages.slice(at * perSlice, (at + 1) * perSlice);
    const missing = own.indexOf(undefined);
    // A page behind one that is missing was written between the two reads.
    const found = (missing < 0 ? own : own.slice(0, missing)) as FeedPage[];
    rounds.push({ slice, pages: await continuing(context, cursors, slice, found, call) });
  }
  return rounds;
}

/** Returns the pages that continue what was read. Throws `FEED_POSITION_INVALID` if the feed does not have the page before them any more. */
async function continuing(
  context: ReadContext,
  cursors: readonly PageCursor[],
  slice: number,
  pages: readonly FeedPage[],
  call: CallOptions,
): Promise<readonly FeedPage[]> {
  const count = countContinuing(cursors[slice] as PageCursor, pages);
  const [first] = pages;
  if (count > 0 || first === undefined) return pages.slice(0, count);
  await checkPassed(context, cursors, [slice], call);
  const { store, record } = context;
  const again = await store.pages.read({ generation: record.generation, slice, number: first.number }, call);
  return readAgain(cursors[slice] as PageCursor, slice, again);
}

/** A write of a page, and the offset of its first event. */
interface PlacedRef {
  readonly ref: FeedRef;
  readonly at: number;
}

/** The events of a page, after those that have been returned. Moves the cursor of the slice. */
async function* eventsOfPage(
  context: ReadContext,
  cursors: PageCursor[],
  slice: number,
  page: FeedPage,
  options: ReadFeedOptions,
): AsyncGenerator<readonly FeedEvent[], void, undefined> {
  if (page.followedBy !== undefined) throw positionOutdated(context.record.generation, page.followedBy);
  const from = page.first + (cursors[slice]?.skip ?? 0);
  let offset = page.first;
  const wanted: PlacedRef[] = [];
  for (const ref of page.refs) {
    const at = offset;
    offset += eventCount(ref);
    if (offset > from && mayMatch(ref, options)) wanted.push({ ref, at });
  }
  // The cursors of the other slices, which do not move while this one is read.
  const others = [...cursors];
  for (let start = 0; start < wanted.length; start += writesAtOnce) {
    let found: FeedEvent[] = [];
    const some = wanted.slice(start, start + writesAtOnce);
    for (const { each, ref, offset } of await eventsOfWrites(context, some, options)) {
      if (offset < from) continue;
      const place = { slice, offset, late: ref.late === true };
      if ("error" in each) {
        if (found.length > 0) yield found;
        found = [];
        const unread = { ...each, persistenceId: ref.persistenceId };
        await options.onUnreadable?.(placed(context.record, others, page, unread, place));
      } else if (matches(each, options)) found.push(placed(context.record, others, page, each, place));
    }
    if (found.length > 0) yield found;
  }
  cursors[slice] = { page: page.number + 1, skip: 0, by: page.by };
}

/** Reads the events of some writes. Those that cannot be read are returned with their error, if the caller handles them. */
async function eventsOfWrites(
  { changes }: ReadContext,
  writes: readonly PlacedRef[],
  { onUnreadable, signal, deadlineMs }: ReadFeedOptions,
): Promise<{ readonly each: JournalEvent | UnreadEvent; readonly ref: FeedRef; readonly offset: number }[]> {
  const call = { signal, deadlineMs };
  const refs = writes.map(({ ref }) => ref);
  const read = await (onUnreadable === undefined
    ? changes.readWrites(refs, call)
    : readEach(changes, refs, call));
  const found: { each: JournalEvent | UnreadEvent; ref: FeedRef; offset: number }[] = [];
  for (const [index, { ref, at }] of writes.entries())
    for (const each of read[index] ?? (await readOneByOne(changes, ref, call)))
      found.push({ each, ref, offset: at + each.sequenceNr - ref.first });
  return found;
}

/** Returns whether a write may have requested events, as far as its ref shows. */
export function mayMatch({ persistenceId, tags }: FeedRef, { type, tag, slices }: ReadFeedOptions): boolean {
  if (type !== undefined && entityTypeOf(persistenceId) !== type) return false;
  if (tag !== undefined && tags !== undefined && !tags.includes(tag)) return false;
  return slices === undefined || isInRange(persistenceId, slices);
}

/** Returns whether an event of such a write is requested. */
export function matches({ tags }: JournalEvent, { tag }: ReadFeedOptions): boolean {
  return tag === undefined || tags.includes(tag);
}

/** Adds its place in the feed to an event. */
function placed<Event extends object>(
  { generation }: FeedRecord,
  others: readonly PageCursor[],
  page: FeedPage,
  event: Event,
  { slice, offset, late }: Pick<FeedEvent, "slice" | "offset" | "late">,
): Event & Pick<FeedEvent, "slice" | "offset" | "late" | "position"> {
  return {
    ...event,
    slice,
    offset,
    late,
    // Most readers store one position of many.
    get position() {
      const isLast = offset === page.first + page.count - 1;
      const own = isLast
        ? { page: page.number + 1, skip: 0, by: page.by }
        : { page: page.number, skip: offset - page.first + 1, by: page.by };
      return encodePosition(generation, others.with(slice, own));
    },
  };
}
