import { waitWithin } from "@tablekeep/client";
import type { ArrivedMessage, MailChange, WaitOptions, WatchOptions } from "../model/mail-changes.ts";
import { longMailCall, type MailContext } from "../model/mail-context.ts";
import type { MailLayout } from "../model/mail-layout.ts";
import type { MailSummary } from "../model/message.ts";
import { matchResolved } from "../search/judge-candidates.ts";
import type { ResolvedSearch } from "../search/query/query-term.ts";
import { allMatches } from "../search/search-pages.ts";
import { type FeedEntry, queuedChanges, type StoredEntry, type StoredOrChanged } from "./feed-entry.ts";
import { type Resumed, resumeAfter, type Watched } from "./resume-watch.ts";
import { maxWaiting, tooSlow } from "./subscribers.ts";
import { readCursor, waitCursor, watchCursor } from "./watch-cursor.ts";

/** Which changes to return: see `WatchOptions`. */
export interface ResolvedWatch extends Omit<WatchOptions, "search"> {
  readonly search?: ResolvedSearch;
}

/** New messages until the signal ends it. */
export async function* watchMail(
  watched: Watched,
  options: ResolvedWatch,
): AsyncGenerator<ArrivedMessage, void, undefined> {
  for await (const change of watchChanges(watched, options))
    if (change.kind === "stored") yield change.summary;
}

/** New messages and deletes until the signal ends it. */
export async function* watchChanges(
  watched: Watched,
  options: ResolvedWatch,
): AsyncGenerator<MailChange, void, undefined> {
  const { signal, search } = options;
  const { context, layout } = watched;
  if (signal?.aborted) return;
  try {
    for await (const change of newChanges(watched, options))
      if (change.kind !== "stored" || (await isMatch(context, layout, search, change.summary, signal)))
        yield change;
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

async function* newChanges(
  watched: Watched,
  { signal, after }: ResolvedWatch,
): AsyncGenerator<MailChange, void, undefined> {
  const { feed, layout } = watched;
  const watcher = await feed.subscribe(signal, { resumes: after !== undefined });
  const stop = () => watcher.end();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const before = new Set<string>();
    // Subscribing has read it.
    let era = layout.changes?.knownEra ?? "";
    let last: string | undefined;
    if (after !== undefined) {
      const resumed = await missed(watched, after, signal);
      ({ era } = resumed);
      for (const { id, change } of resumed.changes) {
        if (id !== undefined) before.add(id);
        last = id ?? last;
        yield change;
      }
    }
    for await (const change of watcher.changes()) {
      if (change.kind === "cleared") {
        // The resumed entries belong to a later era.
        if (change.era <= era && era !== "") continue;
        ({ era } = change);
        yield { kind: "cleared", ...(last !== undefined && { cursor: watchCursor(watched, last, era) }) };
        continue;
      }
      if (change.id !== undefined && before.delete(change.id)) continue;
      // Found before all messages were deleted, and announced after that.
      if (change.kind === "stored" && change.era < era) continue;
      // The first message of an inbox begins its first era.
      if (change.kind === "stored") ({ era } = change);
      last = change.id ?? last;
      yield withCursor(change, change.id && watchCursor(watched, change.id, era));
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    feed.unsubscribe(watcher);
  }
}

function arrived(watched: Watched, summary: MailSummary, after: string | undefined): ArrivedMessage {
  const era = watched.layout.changes?.knownEra ?? "";
  return { ...summary, cursor: waitCursor(watched, summary.imported ?? summary.id, era, after) };
}

/** A change for the caller. Only deletes may have no cursor, in a layout that does not store them. */
function withCursor(change: StoredOrChanged, cursor: string | undefined): MailChange {
  switch (change.kind) {
    case "stored":
      return { kind: "stored", summary: { ...change.summary, cursor: cursor ?? "" } };
    case "deleted":
      return { kind: "deleted", ids: change.ids, ...(cursor !== undefined && { cursor }) };
    case "marked":
      return { kind: "marked", messages: change.messages, ...(cursor !== undefined && { cursor }) };
  }
}

/** The entries that a watcher missed, with their ids and their era. */
interface Missed {
  readonly era: string;
  readonly changes: readonly { readonly id?: string; readonly change: MailChange }[];
}

/** The maximum number of reads that start over because all messages were deleted meanwhile. */
const maxRounds = 10;

/** Messages, deletes and marks after a cursor, in the order in which they were announced. */
async function missed(watched: Watched, after: string, signal: AbortSignal | undefined): Promise<Missed> {
  const { layout } = watched;
  for (let round = 1; ; round++) {
    const era = layout.changes?.knownEra ?? "";
    const changes = await missedIn(watched, after, era, signal);
    // Otherwise some may be of this era, and some of the next.
    if (era === (layout.changes?.knownEra ?? "") || round >= maxRounds) return { era, changes };
  }
}

async function missedIn(
  watched: Watched,
  after: string,
  era: string,
  signal: AbortSignal | undefined,
): Promise<Missed["changes"]> {
  const { context, layout } = watched;
  const resumed = resumeAfter(watched, after, { overlap: true, signal });
  const found: FeedEntry[] = [];
  for await (const entry of resumed.messages(undefined)) {
    if (found.length >= maxWaiting) throw tooSlow();
    found.push(entry);
  }
  const stored = await resumed.changes(maxWaiting);
  const entries = [...found, ...(stored ?? [])].sort(resumed.compare);
  const changes = await queuedChanges(layout, entries, longMailCall(context, { signal }));
  const isCleared = resumed.era !== undefined && resumed.era < era;
  const cursorOf = (entry: FeedEntry) =>
    resumed.mayRepeat(entry) ? after : watchCursor(watched, entry.id, era);
  return [
    ...(isCleared ? [{ change: { kind: "cleared" } as const }] : []),
    ...(stored === undefined ? [{ change: { kind: "reset" } as const }] : []),
    ...entries.flatMap((entry, at) => {
      const change = changes[at];
      return change === undefined ? [] : [{ id: entry.id, change: withCursor(change, cursorOf(entry)) }];
    }),
  ];
}

/**
 * The newest message that matches or, with `after`, the first one after it; if there is none, the first to arrive. Undefined if none
 * arrives in time.
 */
export async function waitForMail(
  watched: Watched,
  search: ResolvedSearch | undefined,
  { signal, timeoutMs = 30_000, since = 0, after }: WaitOptions,
): Promise<ArrivedMessage | undefined> {
  signal?.throwIfAborted();
  const over = new AbortController();
  let late = false;
  const abort = () => over.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  // Starts first, so that a slow table does not prolong the wait.
  const cancel = watched.context.clock.after(timeoutMs, () => {
    late = !over.signal.aborted;
    over.abort();
  });
  try {
    const found = firstMatch(watched, search, { since, after }, over.signal);
    const summary = await waitWithin({ clock: watched.context.clock, signal: over.signal }, found);
    return summary && arrived(watched, summary, after);
  } catch (error) {
    if (late) return undefined;
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    cancel();
    signal?.removeEventListener("abort", abort);
  }
}

/** The messages that a wait may return. */
interface WaitBounds {
  readonly since: number;
  readonly after: string | undefined;
}

async function firstMatch(
  watched: Watched,
  search: ResolvedSearch | undefined,
  bounds: WaitBounds,
  signal: AbortSignal,
): Promise<MailSummary | undefined> {
  const { context, layout, feed } = watched;
  const watcher = await feed.subscribe(signal, { resumes: bounds.after !== undefined });
  const stop = () => watcher.end();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const there = await firstThere(watched, search, bounds, signal);
    if (there !== undefined) return there;
    const { isReceived } = readCursor(bounds.after ?? "");
    for await (const change of watcher.changes()) {
      if (change.kind !== "stored" || change.era < (layout.changes?.knownEra ?? "")) continue;
      const { summary } = change;
      if (summary.created < bounds.since || isReceived(summary.imported ?? summary.id)) continue;
      if (await isMatch(context, layout, search, summary, signal)) return summary;
    }
    signal.throwIfAborted();
    return undefined;
  } finally {
    signal.removeEventListener("abort", stop);
    feed.unsubscribe(watcher);
  }
}

async function firstThere(
  watched: Watched,
  search: ResolvedSearch | undefined,
  { since, after }: WaitBounds,
  signal: AbortSignal | undefined,
): Promise<MailSummary | undefined> {
  if (after !== undefined) {
    const resumed = resumeAfter(watched, after, { overlap: false, signal });
    let first: StoredEntry | undefined;
    for await (const entry of resumed.messages(search))
      if (entry.summary.created >= since && (first === undefined || resumed.compare(entry, first) < 0))
        first = entry;
    return (await firstImport(watched, search, { since, resumed, before: first }, signal)) ?? first?.summary;
  }
  const { context, layout } = watched;
  const call = longMailCall(context, { signal });
  const found =
    search === undefined
      ? layout.newest({ skip: 0, want: 1 }, call)
      : allMatches(layout, search, undefined, call);
  // Newest first: if this one is too old, all are.
  for await (const summary of found) return summary.created >= since ? summary : undefined;
  return undefined;
}

/** The first imported message that matches, if it was imported before `before` was announced. */
async function firstImport(
  { context, layout }: Watched,
  search: ResolvedSearch | undefined,
  {
    since,
    resumed,
    before,
  }: { readonly since: number; readonly resumed: Resumed; readonly before?: StoredEntry },
  signal: AbortSignal | undefined,
): Promise<MailSummary | undefined> {
  const imports = (await resumed.imports(maxWaiting)) ?? [];
  const earlier = imports.filter((each) => before === undefined || resumed.compare(each, before) < 0);
  const call = longMailCall(context, { signal });
  for (const change of await queuedChanges(layout, earlier.sort(resumed.compare), call)) {
    if (change?.kind !== "stored" || change.summary.created < since) continue;
    if (await isMatch(context, layout, search, change.summary, signal)) return change.summary;
  }
  return undefined;
}

async function isMatch(
  context: MailContext,
  layout: MailLayout,
  search: ResolvedSearch | undefined,
  summary: MailSummary,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (search === undefined) return true;
  const [message] = await layout.load([summary], longMailCall(context, { signal }));
  return message !== undefined && (await matchResolved(search, message));
}
