import type { MailSummary } from "../model/mail.ts";
import { longMailCall, type MailContext } from "../model/mail-context.ts";
import type { ChangeEntry, MailLayout } from "../model/mail-layout.ts";
import { allMatches, cursorInvalid, type ResolvedSearch } from "../search/pages.ts";
import type { Announced } from "./announced-ids.ts";
import type { MailFeed } from "./mail-feed.ts";

/** What watching depends on. */
export interface Watched {
  readonly context: MailContext;
  readonly layout: MailLayout;
  readonly feed: MailFeed;
}

/**
 * How far back a watcher resumes that was connected to another server, or whose position is no longer remembered: ids
 * are made before messages are committed, so that a message with a lower id may have been committed after one with a higher id.
 */
const overlapMs = 30_000;

/**
 * The position after a message or a change in the order in which this feed announces them, and the era in which it was reported: that
 * shows whether all messages were deleted since.
 */
export function watchCursor({ feed }: Watched, id: string, era: string): string {
  return `${id}~${feed.announced.name}${era === "" ? "" : `.${era}`}`;
}

/** The parts of a cursor; a plain id is one, too. */
function cursorParts(cursor: string): { id: string; name: string | undefined; era: string | undefined } {
  const [, id = cursor, name, era] = /^(.*)~([\w-]{8})(?:\.(\d{8}))?$/s.exec(cursor) ?? [];
  return { id, name, era };
}

/** Messages after a cursor, newest first, and the order in which to return them. */
export interface Resumed {
  messages(search: ResolvedSearch | undefined): AsyncGenerator<MailSummary, void, undefined>;
  /** Deletes and marks after the cursor, oldest first; undefined if some are not stored any more, or if they are more than `limit`. */
  changes(limit: number): Promise<ChangeEntry[] | undefined>;
  compare(one: Announced, other: Announced): number;
  /** Whether an entry may have been returned before. Such entries come first, and leave the cursor unchanged. */
  mayRepeat(entry: Announced): boolean;
  /** The era of the cursor; undefined if it has none. */
  readonly era: string | undefined;
}

/**
 * The messages after a cursor, an id or, for "", from the beginning. Call it right after subscribing: later messages
 * come from the subscription. With `overlap`, a cursor that this feed does not remember begins earlier.
 */
export function resumeAfter(
  { context, layout, feed }: Watched,
  after: string,
  { overlap, signal }: { readonly overlap: boolean; readonly signal: AbortSignal | undefined },
): Resumed {
  const { id, name, era } = cursorParts(after);
  if (after !== "" && !layout.isId(id)) throw cursorInvalid();
  const { coversFromMs } = feed.announced;
  const announced = feed.announced.ids();
  const places = new Map(announced.map((each, place) => [each, place]));
  const place = name === undefined || name === feed.announced.name ? places.get(id) : undefined;
  const later = place === undefined ? undefined : announced.slice(place + 1);
  const overlaps = overlap && place === undefined && name !== undefined;
  const from = later?.reduce(lower, id) ?? (overlaps ? layout.idBefore(id, overlapMs) : id);
  const mayRepeat = (entry: Announced) => overlaps && entry.id < id;
  const isLater = (entry: Announced) => {
    const its = places.get(entry.id);
    if (place !== undefined) return its !== undefined && its > place;
    // Newer entries that have not been announced yet will come from the subscription.
    return entry.id > from && (its !== undefined || entry.created < coversFromMs);
  };
  return {
    async *messages(search) {
      if (later?.length === 0) return;
      const call = longMailCall(context, { signal });
      const all =
        search === undefined
          ? layout.newest({ skip: 0, want: 100 }, call)
          : allMatches(layout, search, undefined, call);
      for await (const summary of all) {
        if (summary.id < from) return;
        if (summary.id !== id && isLater(summary)) yield summary;
      }
    },
    async changes(limit) {
      const { changes } = layout;
      if (changes === undefined || after === "" || later?.length === 0) return [];
      if (layout.timeOf(from) < context.clock.now() - changes.keptMs) return undefined;
      const found = await changes.since(layout.timeOf(from), limit, longMailCall(context, { signal }));
      return found.length > limit ? undefined : found.filter((entry) => entry.id !== id && isLater(entry));
    },
    mayRepeat,
    era,
    // Messages that this feed never announced are older than all that it did.
    compare: (one, other) =>
      Number(mayRepeat(other)) - Number(mayRepeat(one)) ||
      (places.get(one.id) ?? -1) - (places.get(other.id) ?? -1) ||
      (one.id < other.id ? -1 : 1),
  };
}

function lower(one: string, other: string): string {
  return one < other ? one : other;
}
