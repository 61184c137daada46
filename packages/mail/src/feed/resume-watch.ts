import type { MailSummary } from "../model/mail.ts";
import { longMailCall, type MailContext } from "../model/mail-context.ts";
import type { MailLayout } from "../model/mail-layout.ts";
import { allMatches, cursorInvalid, type ResolvedSearch } from "../search/pages.ts";
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

/** The position after a message in the order in which this feed announces them. */
export function watchCursor({ feed }: Watched, id: string): string {
  return `${id}~${feed.announced.name}`;
}

/** Messages after a cursor, newest first, and the order in which to return them. */
export interface Resumed {
  messages(search: ResolvedSearch | undefined): AsyncGenerator<MailSummary, void, undefined>;
  compare(one: MailSummary, other: MailSummary): number;
  /** Whether a message may have been returned before. Such messages come first, and leave the cursor unchanged. */
  mayRepeat(summary: MailSummary): boolean;
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
  const [, id = after, name] = /^(.*)~([\w-]{8})$/s.exec(after) ?? [];
  if (after !== "" && !layout.isId(id)) throw cursorInvalid();
  const { coversFromMs } = feed.announced;
  const announced = feed.announced.ids();
  const places = new Map(announced.map((each, place) => [each, place]));
  const place = name === undefined || name === feed.announced.name ? places.get(id) : undefined;
  const later = place === undefined ? undefined : announced.slice(place + 1);
  const overlaps = overlap && place === undefined && name !== undefined;
  const from = later?.reduce(lower, id) ?? (overlaps ? layout.idBefore(id, overlapMs) : id);
  const mayRepeat = (summary: MailSummary) => overlaps && summary.id < id;
  const isLater = (summary: MailSummary) => {
    const its = places.get(summary.id);
    if (place !== undefined) return its !== undefined && its > place;
    // Newer messages that have not been announced yet will come from the subscription.
    return summary.id > from && (its !== undefined || summary.created < coversFromMs);
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
    mayRepeat,
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
