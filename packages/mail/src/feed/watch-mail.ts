import { waitWithin } from "@tablekeep/client";
import type { ArrivedMessage, MailChange, MailSummary, WaitOptions, WatchOptions } from "../model/mail.ts";
import { longMailCall, type MailContext } from "../model/mail-context.ts";
import type { MailLayout } from "../model/mail-layout.ts";
import { allMatches, matchResolved, type ResolvedSearch } from "../search/pages.ts";
import { resumeAfter, type Watched, watchCursor } from "./resume-watch.ts";
import { maxWaiting, tooSlow } from "./subscribers.ts";

/** New messages until the signal ends it. */
export async function* watchMail(
  watched: Watched,
  options: WatchOptions,
): AsyncGenerator<ArrivedMessage, void, undefined> {
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
  watched: Watched,
  { signal, after }: WatchOptions,
): AsyncGenerator<MailChange, void, undefined> {
  const { feed } = watched;
  const watcher = await feed.subscribe(signal, { resumes: after !== undefined });
  const stop = () => watcher.end();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const before = new Set<string>();
    if (after !== undefined) {
      for (const message of await missed(watched, after, signal)) {
        before.add(message.id);
        yield { kind: "stored", summary: message };
      }
    }
    for await (const change of watcher.changes()) {
      if (change.kind !== "stored") yield change;
      else if (!before.delete(change.summary.id))
        yield { kind: "stored", summary: arrived(watched, change.summary) };
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    feed.unsubscribe(watcher);
  }
}

function arrived(watched: Watched, summary: MailSummary): ArrivedMessage {
  return { ...summary, cursor: watchCursor(watched, summary.id) };
}

/** The messages after a cursor, in the order in which they were announced. */
async function missed(
  watched: Watched,
  after: string,
  signal: AbortSignal | undefined,
): Promise<ArrivedMessage[]> {
  const { messages, compare, mayRepeat } = resumeAfter(watched, after, { overlap: true, signal });
  const found: MailSummary[] = [];
  for await (const summary of messages(undefined)) {
    if (found.length >= maxWaiting) throw tooSlow();
    found.push(summary);
  }
  return found
    .sort(compare)
    .map((summary) => (mayRepeat(summary) ? { ...summary, cursor: after } : arrived(watched, summary)));
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
    return summary && arrived(watched, summary);
  } catch (error) {
    if (late) return undefined;
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    cancel();
    signal?.removeEventListener("abort", abort);
  }
}

/** Which messages a wait may return. */
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
    for await (const summary of watcher.messages())
      if (summary.created >= bounds.since && (await isMatch(context, layout, search, summary, signal)))
        return summary;
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
    const { messages, compare } = resumeAfter(watched, after, { overlap: false, signal });
    let first: MailSummary | undefined;
    for await (const summary of messages(search))
      if (summary.created >= since && (first === undefined || compare(summary, first) < 0)) first = summary;
    return first;
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
