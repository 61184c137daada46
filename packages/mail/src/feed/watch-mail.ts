import { waitWithin } from "@tablekeep/client";
import type { MailChange, MailSearch, MailSummary, WaitOptions, WatchOptions } from "../mail.ts";
import { longMailCall, type MailContext } from "../mail-context.ts";
import type { MailLayout } from "../mail-layout.ts";
import { matchMessage } from "../search/match-message.ts";
import { allMatches } from "../search/search-page.ts";
import type { MailFeed } from "./mail-feed.ts";
import { maxWaiting, tooSlow } from "./subscription.ts";

/** What a watcher works with. */
export interface Watched {
  readonly context: MailContext;
  readonly layout: MailLayout;
  readonly feed: MailFeed;
}

/** New messages until the signal ends it. */
export async function* watchMail(
  watched: Watched,
  options: WatchOptions,
): AsyncGenerator<MailSummary, void, undefined> {
  for await (const change of watchChanges(watched, options))
    if (change.kind === "stored") yield change.summary;
}

/** New messages and deletes until the signal ends it. */
export async function* watchChanges(
  watched: Watched,
  options: WatchOptions,
): AsyncGenerator<MailChange, void, undefined> {
  const { signal } = options;
  if (signal?.aborted) return;
  try {
    yield* newChanges(watched, options);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

async function* newChanges(
  { context, layout, feed }: Watched,
  { signal, after }: WatchOptions,
): AsyncGenerator<MailChange, void, undefined> {
  const watcher = await feed.subscribe(signal);
  const stop = () => watcher.end();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const before = new Set<string>();
    if (after !== undefined) {
      for (const summary of await newerThan(context, layout, after, signal)) {
        before.add(summary.id);
        yield { kind: "stored", summary };
      }
    }
    for await (const change of watcher.changes()) {
      if (change.kind === "deleted" || !before.delete(change.summary.id)) yield change;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    feed.unsubscribe(watcher);
  }
}

/** What there is after an id, oldest first. */
async function newerThan(
  context: MailContext,
  layout: MailLayout,
  after: string,
  signal: AbortSignal | undefined,
): Promise<MailSummary[]> {
  const found: MailSummary[] = [];
  for await (const summary of layout.newest({ skip: 0, want: 100 }, longMailCall(context, { signal }))) {
    if (summary.id <= after) break;
    if (found.length >= maxWaiting) throw tooSlow();
    found.push(summary);
  }
  return found.reverse();
}

/** The newest message that matches, or the first to come; undefined if none comes in time. */
export async function waitForMail(
  watched: Watched,
  search: MailSearch | undefined,
  { signal, timeoutMs = 30_000, since = 0 }: WaitOptions,
): Promise<MailSummary | undefined> {
  signal?.throwIfAborted();
  const over = new AbortController();
  let late = false;
  const abort = () => over.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  // First of all: a table that is slow does not make the wait longer.
  const cancel = watched.context.clock.after(timeoutMs, () => {
    late = !over.signal.aborted;
    over.abort();
  });
  try {
    const found = firstMatch(watched, search, since, over.signal);
    return await waitWithin({ clock: watched.context.clock, signal: over.signal }, found);
  } catch (error) {
    if (late) return undefined;
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    cancel();
    signal?.removeEventListener("abort", abort);
  }
}

async function firstMatch(
  watched: Watched,
  search: MailSearch | undefined,
  since: number,
  signal: AbortSignal,
): Promise<MailSummary | undefined> {
  const { context, layout, feed } = watched;
  const watcher = await feed.subscribe(signal);
  const stop = () => watcher.end();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const there = await firstThere(watched, search, since, signal);
    if (there !== undefined) return there;
    for await (const summary of watcher.messages())
      if (summary.created >= since && (await isMatch(context, layout, search, summary, signal)))
        return summary;
    signal.throwIfAborted();
    return undefined;
  } finally {
    signal.removeEventListener("abort", stop);
    feed.unsubscribe(watcher);
  }
}

async function firstThere(
  { context, layout }: Watched,
  search: MailSearch | undefined,
  since: number,
  signal: AbortSignal | undefined,
): Promise<MailSummary | undefined> {
  const call = longMailCall(context, { signal });
  const found =
    search === undefined
      ? layout.newest({ skip: 0, want: 1 }, call)
      : allMatches(layout, search, undefined, call);
  // The newest comes first: if that is too old, all are.
  for await (const summary of found) return summary.created >= since ? summary : undefined;
  return undefined;
}

async function isMatch(
  context: MailContext,
  layout: MailLayout,
  search: MailSearch | undefined,
  summary: MailSummary,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (search === undefined) return true;
  const [message] = await layout.load([summary], longMailCall(context, { signal }));
  return message !== undefined && matchMessage(search, message);
}
