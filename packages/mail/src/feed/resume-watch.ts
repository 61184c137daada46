import { longMailCall, type MailCall, type MailContext } from "../model/mail-context.ts";
import type { ChangeEntry, ChangeStore, MailLayout } from "../model/mail-layout.ts";
import type { ResolvedSearch } from "../search/query/query-term.ts";
import { allMatches, cursorInvalid } from "../search/search-pages.ts";
import type { Announced } from "./announced-ids.ts";
import { type StoredEntry, storedEntry } from "./feed-entry.ts";
import type { MailFeed } from "./mail-feed.ts";
import { readCursor } from "./watch-cursor.ts";

/** Dependencies of watching. */
export interface Watched {
  readonly context: MailContext;
  readonly layout: MailLayout;
  readonly feed: MailFeed;
}

/**
 * How far back a watcher resumes that was connected to another server, or whose position is no longer remembered: ids
 * are made before messages are committed, so a message with a lower id may have been committed after one with a higher id.
 */
const overlapMs = 30_000;

/** The entries after a cursor, in the order in which to return them. */
export interface Resumed {
  /** Messages, newest first, without those that {@link changes} reports as imported. */
  messages(search: ResolvedSearch | undefined): AsyncGenerator<StoredEntry, void, undefined>;
  /** Deletes, marks and imports, oldest first; undefined if some are no longer stored, or if they are more than `limit`. */
  changes(limit: number): Promise<ChangeEntry[] | undefined>;
  /** The imports among them. */
  imports(limit: number): Promise<ChangeEntry[] | undefined>;
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
  const { id, name, era, fromMs, isReceived } = readCursor(after);
  if (after !== "" && !layout.isId(id)) throw cursorInvalid();
  const { coversFromMs } = feed.announced;
  const announced = feed.announced.ids();
  const places = new Map(announced.map((each, place) => [each, place]));
  const place = name === undefined || name === feed.announced.name ? places.get(id) : undefined;
  const later =
    place === undefined ? undefined : announced.slice(place + 1).filter((each) => !isReceived(each));
  const overlaps = overlap && place === undefined && name !== undefined;
  const from = later?.reduce(lower, id) ?? startOf(layout, id, overlaps ? overlapMs : undefined, fromMs);
  const mayRepeat = (entry: Announced) => overlaps && entry.id < id;
  const isLater = (entry: Announced) => {
    if (isReceived(entry.id)) return false;
    const its = places.get(entry.id);
    if (place !== undefined) return its !== undefined && its > place;
    // Newer entries that have not been announced yet will come from the subscription.
    return entry.id > from && (its !== undefined || entry.created < coversFromMs);
  };
  const { changes } = layout;
  const isStored =
    changes !== undefined && after !== "" && layout.timeOf(from) >= context.clock.now() - changes.keptMs;
  const changesBy = async (read: ChangeStore["since"] | undefined, limit: number) => {
    if (read === undefined || after === "" || later?.length === 0) return [];
    if (!isStored) return undefined;
    const found = await read(layout.timeOf(from), limit, longMailCall(context, { signal }));
    const isNew = (entry: ChangeEntry) => entry.id !== id && !isImportOf(entry, id) && isLater(entry);
    return found.length > limit ? undefined : found.filter(isNew);
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
        const entry = storedEntry(layout, summary);
        const isChange = isStored && summary.imported !== undefined;
        if (!isChange && entry.id !== id && summary.id !== id && isLater(entry)) yield entry;
      }
    },
    changes: (limit) => changesBy(changes?.since, limit),
    imports: (limit) => changesBy(changes?.importsSince, limit),
    mayRepeat,
    era,
    // Messages that this feed never announced are older than all that it did.
    compare: (one, other) =>
      Number(mayRepeat(other)) - Number(mayRepeat(one)) ||
      (places.get(one.id) ?? -1) - (places.get(other.id) ?? -1) ||
      (one.id < other.id ? -1 : 1),
  };
}

/** Where to continue after an id that this feed does not remember. */
function startOf(
  layout: MailLayout,
  id: string,
  overlap: number | undefined,
  fromMs: number | undefined,
): string {
  if (overlap !== undefined) return layout.idAt(layout.timeOf(id) - overlap);
  return fromMs === undefined ? id : layout.idAt(fromMs);
}

/** Whether an entry imports the message with this id, which may be a cursor as well. */
function isImportOf({ kind, ids }: ChangeEntry, id: string): boolean {
  return kind === "imported" && ids.includes(id);
}

function lower(one: string, other: string): string {
  return one < other ? one : other;
}

/** The maximum time between the creation of an id and the visibility of its message. Clocks of instances differ by less. */
const settledMs = 300_000;

/**
 * The position after the newest message and after all imports: an imported message is announced later than its id suggests. If the newest
 * message is old, the position is a few minutes ago, because imports since then are all that has to be read.
 */
export async function positionAfter(
  { context, layout }: Pick<Watched, "context" | "layout">,
  newest: string,
  call: MailCall,
): Promise<string> {
  const { changes } = layout;
  if (changes === undefined) return newest;
  const settled = layout.idAt(context.clock.now() - settledMs);
  const from = newest > settled ? newest : settled;
  const imports = await changes.importsSince(layout.timeOf(from), Number.POSITIVE_INFINITY, call);
  // They are ordered, and an instance whose clock is behind makes lower ids.
  return imports.findLast(({ id }) => id > from)?.id ?? from;
}
