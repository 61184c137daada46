import type { CallOptions } from "@tablekeep/core";
import type { JournalEvent } from "@tablekeep/journal";
import type { OpenFeed } from "../../open-feed.ts";
import { eventCount, type FeedPage, type FeedRef } from "../../pages/page.ts";
import { countContinuing, readAgain } from "../../pages/page-chain.ts";
import type { FeedEvent } from "../../read/feed-event.ts";
import { encodePosition } from "../../read/feed-position.ts";
import { readEach } from "../../read/read-each.ts";
import { matches, mayMatch } from "../../read/read-feed.ts";
import type { FeedRecord } from "../../store/feed-record.ts";
import { feedChanged, positionAhead } from "../projection-error.ts";
import type { ProjectionVersion, SliceCursor } from "../store/projection-items.ts";

/** An event of a slice, with its place. */
export interface SliceEvent {
  readonly event: FeedEvent;
  /** Its own cursor, and that of the next event. */
  readonly at: SliceCursor;
  readonly next: SliceCursor;
  /** The write that it belongs to. */
  readonly ref: FeedRef;
  /** The error of a write that could not be read: only the id and sequence number of the event are known. It is read again before it is handled. */
  readonly isUnread?: boolean;
}

/** Consecutive events of a slice that a projection handles. */
export interface SliceBatch {
  readonly events: readonly SliceEvent[];
  /** The cursor after them, and after the events behind them that are not handled. */
  readonly end: SliceCursor;
}

/** Which events a projection handles. */
export interface EventFilter {
  readonly type?: string;
  readonly tag?: string;
}

/** The number of pages, and of their writes, that are read at once. One batch at a time is in memory. */
const pagesAtOnce = 4;
const writesAtOnce = 100;

/** Reads the events of one slice, page by page. */
export class SliceReader {
  readonly #feed: OpenFeed;
  readonly #record: FeedRecord;
  readonly #slice: number;
  readonly #filter: EventFilter;
  readonly #projection: ProjectionVersion;

  constructor(
    feed: OpenFeed,
    record: FeedRecord,
    slice: number,
    filter: EventFilter,
    projection: ProjectionVersion,
  ) {
    this.#feed = feed;
    this.#record = record;
    this.#slice = slice;
    this.#filter = filter;
    this.#projection = projection;
  }

  /**
   * Throws `PROJECTION_POSITION_AHEAD` unless the feed has the event before a cursor: the feed was restored to an earlier time, and gives the
   * offsets that were passed to other events.
   */
  async checkCursor({ offset, page, skip, by }: SliceCursor): Promise<void> {
    if (offset === 0) return;
    const { generation } = this.#record;
    const number = skip === 0 ? page - 1 : page;
    const before = number < 0 ? undefined : await this.#readPage(number);
    const passed = skip === 0 ? before?.count : skip;
    if (
      before !== undefined &&
      passed !== undefined &&
      passed <= before.count &&
      offset === before.first + passed &&
      (by === undefined || by === before.by)
    )
      return;
    const { generation: current } = await this.#feed.record({});
    if (current !== generation) throw feedChanged(generation, current);
    throw positionAhead(this.#projection, this.#slice, offset);
  }

  #readPage(number: number): Promise<FeedPage | undefined> {
    const { generation } = this.#record;
    return this.#feed.store.pages.read({ generation, slice: this.#slice, number });
  }

  /** Returns the next events; undefined if there is no page yet. Throws like {@link checkCursor} if the pages do not continue what was read before. */
  async read(cursor: SliceCursor, call: CallOptions): Promise<SliceBatch | undefined> {
    const { generation } = this.#record;
    const keys = Array.from({ length: pagesAtOnce }, (_unused, at) => ({
      generation,
      slice: this.#slice,
      number: cursor.page + at,
    }));
    const found = await this.#feed.store.pages.readAll(keys, call);
    const missing = found.indexOf(undefined);
    let pages = (missing < 0 ? found : found.slice(0, missing)) as FeedPage[];
    const end = pages.findIndex(({ followedBy }) => followedBy !== undefined);
    if (end === 0) throw feedChanged(generation, pages[0]?.followedBy ?? generation + 1);
    if (end > 0) pages.length = end;
    pages = await this.#continuing(cursor, pages);
    if (pages.length === 0) return undefined;
    const events: SliceEvent[] = [];
    let before = cursor.by;
    for (const page of pages) {
      events.push(...(await this.#eventsOf(page, before, cursor.offset, call)));
      before = page.by;
    }
    const { number, first, count, by } = pages.at(-1) as FeedPage;
    return { events, end: { offset: first + count, page: number + 1, skip: 0, by } };
  }

  /** Returns the pages that continue what was read before. */
  async #continuing(cursor: SliceCursor, pages: readonly FeedPage[]): Promise<FeedPage[]> {
    const count = countContinuing(cursor, pages);
    const [first] = pages;
    if (count > 0 || first === undefined) return pages.slice(0, count);
    await this.checkCursor(cursor);
    return readAgain(cursor, this.#slice, await this.#readPage(first.number));
  }

  async #eventsOf(
    page: FeedPage,
    before: string | undefined,
    from: number,
    call: CallOptions,
  ): Promise<SliceEvent[]> {
    let next = page.first;
    const wanted: { readonly ref: FeedRef; readonly at: number }[] = [];
    for (const ref of page.refs) {
      const at = next;
      next += eventCount(ref);
      if (next > from && mayMatch(ref, this.#filter)) wanted.push({ ref, at });
    }
    const events: SliceEvent[] = [];
    for (let start = 0; start < wanted.length; start += writesAtOnce) {
      const some = wanted.slice(start, start + writesAtOnce);
      const refs = some.map(({ ref }) => ref);
      const read = await readEach(this.#feed.changes, refs, call);
      for (const [index, { ref, at }] of some.entries()) {
        const isUnread = read[index] === undefined;
        for (const event of read[index] ?? eventsOfUnread(ref)) {
          const offset = at + event.sequenceNr - ref.first;
          if (offset >= from && (isUnread || matches(event, this.#filter)))
            events.push({ ...this.#placed(page, before, ref, event, offset), ...(isUnread && { isUnread }) });
        }
      }
    }
    return events;
  }

  /** Reads an event whose write could not be read; undefined if it was deleted, or is not handled. Throws if it still cannot be read. */
  async readAgain(each: SliceEvent, call: CallOptions): Promise<SliceEvent | undefined> {
    const { ref, at, next } = each;
    const event = await this.readOne(ref, each.event.sequenceNr, call);
    if (event === undefined || !matches(event, this.#filter)) return undefined;
    return { ref, at, next, event: this.feedEvent(event, at.offset, ref.late === true, next) };
  }

  /** `before` names the put of the page before. */
  #placed(
    { number, first, count, by }: FeedPage,
    before: string | undefined,
    ref: FeedRef,
    event: JournalEvent,
    offset: number,
  ): SliceEvent {
    const cursorAt = (at: number): SliceCursor => {
      if (at === first)
        return { offset: at, page: number, skip: 0, ...(before !== undefined && { by: before }) };
      return at < first + count
        ? { offset: at, page: number, skip: at - first, by }
        : { offset: at, page: number + 1, skip: 0, by };
    };
    const next = cursorAt(offset + 1);
    return { event: this.feedEvent(event, offset, ref.late === true, next), at: cursorAt(offset), next, ref };
  }

  /** Makes an event of the feed. Its position is that of this slice alone: the others are at their start. */
  feedEvent(
    event: JournalEvent,
    offset: number,
    late: boolean,
    { page, skip, by }: Pick<SliceCursor, "page" | "skip" | "by">,
  ): FeedEvent {
    const { generation, slices } = this.#record;
    const slice = this.#slice;
    return Object.defineProperty({ ...event, slice, offset, late } as FeedEvent, "position", {
      enumerable: true,
      get: () => {
        const cursors = Array.from({ length: slices }, (_unused, at) =>
          at === slice ? { page, skip, ...(by !== undefined && { by }) } : { page: 0, skip: 0 },
        );
        return encodePosition(generation, cursors);
      },
    });
  }

  /** Reads one event by its write; undefined if it was deleted. Another event of the write may be unreadable. */
  async readOne(ref: FeedRef, sequenceNr: number, call: CallOptions): Promise<JournalEvent | undefined> {
    const [events = []] = await this.#feed.changes.readWrites([{ ...ref, only: sequenceNr }], call);
    return events.find((event) => event.sequenceNr === sequenceNr);
  }
}

/** Returns the known facts about the events of a write that cannot be read. */
function eventsOfUnread({ persistenceId, first, last }: FeedRef): JournalEvent[] {
  return Array.from(
    { length: last - first + 1 },
    (_unused, at) => ({ persistenceId, sequenceNr: first + at }) as JournalEvent,
  );
}
