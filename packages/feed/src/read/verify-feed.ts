import type { CallOptions } from "@tablekeep/core";
import type { JournalChanges, JournalWrite, UnreadableItem } from "@tablekeep/journal/changes";
import { eventCount, type FeedPage, refName } from "../pages/page.ts";
import { isInRange, rangesOf, type SliceRange, slicesInRange } from "../pages/slices.ts";
import type { FeedRecord } from "../store/feed-record.ts";
import type { FeedStore } from "../store/feed-store.ts";

/** One problem of a feed. */
export interface FeedFinding {
  /**
   * `missing`: the feed lacks a write. `twice`: it has a write twice. `gap`: offsets are missing between two pages. `unreadable`: an item of the journal does
   * not show which writes it has, so that they could not be compared.
   */
  readonly kind: "missing" | "twice" | "gap" | "unreadable";
  readonly slice?: number;
  readonly persistenceId?: string;
  readonly first?: number;
  readonly last?: number;
  /** For an item that cannot be read: its error, with what to do. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** The result of comparing a feed with its journal. */
export interface FeedVerification {
  readonly ids: number;
  readonly writes: number;
  readonly pages: number;
  /** How many items of the journal could not be read. */
  readonly unreadable: number;
  readonly findings: readonly FeedFinding[];
}

/** The progress of a comparison. */
export interface VerifyProgress {
  readonly ids: number;
  /** How many events have been compared. */
  readonly events: number;
  /** How many events the feed has, also those that have been deleted from the journal. */
  readonly ofEvents: number;
}

/** Dependencies of a comparison. */
export interface VerifyContext {
  readonly store: FeedStore;
  readonly changes: JournalChanges;
  readonly record: FeedRecord;
  readonly eventsAtOnce: number;
  readonly onProgress: (progress: VerifyProgress) => void;
}

/**
 * Compares a feed with its journal: every write must be in it exactly once, and offsets must have no gap. Goes by ranges of slices, so that
 * the names of only some writes are in memory; the ids are listed once for each range.
 */
export async function verifyFeed(
  { store, changes, record, eventsAtOnce, onProgress }: VerifyContext,
  call: CallOptions,
): Promise<FeedVerification> {
  const sizes = await store.sizes(record, call);
  const gaps = new GapCheck(record.slices);
  const total = { ids: 0, writes: 0, unreadable: 0 };
  const findings: FeedFinding[] = [];
  const events = sizes.map((size) => size.events);
  const progress = { events: 0, ofEvents: events.reduce((sum, count) => sum + count, 0) };
  for (const range of rangesOf(events, eventsAtOnce)) {
    const check = new RangeCheck(store, record, range, gaps, call);
    await check.readPages();
    const missing: JournalWrite[] = [];
    for await (const { persistenceId } of changes.persistenceIds({ signal: call.signal })) {
      if (!isInRange(persistenceId, range)) continue;
      total.ids++;
      const onUnreadable = (item: UnreadableItem) => {
        total.unreadable++;
        findings.push(unreadableFinding(item));
      };
      for await (const write of changes.writesOfId(persistenceId, { ...call, onUnreadable })) {
        total.writes++;
        progress.events += eventCount(write);
        if (!check.has(write)) missing.push(write);
      }
      onProgress({ ids: total.ids, ...progress });
    }
    // Appended since the pages were read.
    if (missing.length > 0) await check.readPages();
    findings.push(...check.findings, ...missing.filter((write) => !check.has(write)).map(missingFinding));
  }
  return { ...total, pages: gaps.pages, findings: [...gaps.findings, ...findings] };
}

function missingFinding({ persistenceId, first, last }: JournalWrite): FeedFinding {
  return { kind: "missing", persistenceId, first, last };
}

function unreadableFinding({ persistenceId, sequenceNr, error }: UnreadableItem): FeedFinding {
  const { code, message } = error;
  return { kind: "unreadable", persistenceId, first: sequenceNr, last: sequenceNr, error: { code, message } };
}

/** Counts pages and finds gaps between them. A page that is read for several ranges counts once. */
class GapCheck {
  readonly findings: FeedFinding[] = [];
  pages = 0;
  readonly #next: { page: number; offset: number }[];

  constructor(slices: number) {
    this.#next = Array.from({ length: slices }, () => ({ page: 0, offset: 0 }));
  }

  add(slice: number, page: FeedPage): void {
    const { page: number, offset } = this.#next[slice] ?? { page: 0, offset: 0 };
    if (page.number < number) return;
    if (offset !== page.first)
      this.findings.push({ kind: "gap", slice, first: offset, last: page.first - 1 });
    this.#next[slice] = { page: page.number + 1, offset: page.first + page.count };
    this.pages++;
  }
}

/** The writes of a range that the feed has. */
class RangeCheck {
  readonly findings: FeedFinding[] = [];
  readonly #store: FeedStore;
  readonly #record: FeedRecord;
  readonly #range: SliceRange;
  readonly #gaps: GapCheck;
  readonly #call: CallOptions;
  readonly #names = new Set<string>();
  readonly #next = new Map<number, number>();

  constructor(store: FeedStore, record: FeedRecord, range: SliceRange, gaps: GapCheck, call: CallOptions) {
    this.#store = store;
    this.#record = record;
    this.#range = range;
    this.#gaps = gaps;
    this.#call = call;
  }

  has(write: JournalWrite): boolean {
    return this.#names.has(refName(write)) || this.#names.has(refName({ ...write, mark: 0 }));
  }

  /** Reads the pages that have not been read. */
  async readPages(): Promise<void> {
    const { generation, slices } = this.#record;
    for (const slice of slicesInRange(this.#range, slices)) {
      const from = { generation, slice, number: this.#next.get(slice) ?? 0 };
      for await (const page of this.#store.pages.forwards(from, Number.POSITIVE_INFINITY, this.#call)) {
        this.#gaps.add(slice, page);
        this.#next.set(slice, page.number + 1);
        this.#addRefs(slice, page);
      }
    }
  }

  #addRefs(slice: number, { refs }: FeedPage): void {
    for (const { persistenceId, first, last, mark } of refs) {
      if (!isInRange(persistenceId, this.#range)) continue;
      const name = refName({ persistenceId, first, mark });
      if (this.#names.has(name)) this.findings.push({ kind: "twice", slice, persistenceId, first, last });
      this.#names.add(name);
    }
  }
}
