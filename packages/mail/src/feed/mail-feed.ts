import { sleep } from "@tablekeep/core";
import type { MailSummary } from "../mail.ts";
import { type MailContext, mailCall } from "../mail-context.ts";
import type { MailLayout } from "../mail-layout.ts";
import { seenIds } from "./seen-ids.ts";
import { type Subscription, subscription } from "./subscription.ts";

/** Writes that take as long as this are seen by the next look that goes further back. */
const usualDelayMs = 3000;

/** Every so many looks go back so far: for writes that took longer, and for clocks that are behind. */
const farLooks = [
  { every: 120, backMs: 315_000 },
  { every: 20, backMs: 30_000 },
] as const;

/** What is new in a table, for all watchers of one store. */
export interface MailFeed {
  /** Tells of a message that this store has stored itself. */
  publish(summary: MailSummary): void;
  /** Begins to collect what comes from now on. Rejects if the table cannot be read. */
  subscribe(): Promise<Subscription>;
  unsubscribe(subscription: Subscription): void;
  /** Ends all subscriptions. */
  close(): void;
}

/** Looks for messages of other instances as long as somebody watches. */
export function mailFeed(context: MailContext, layout: MailLayout): MailFeed {
  const { clock, logger, pollMs } = context;
  const watchers = new Set<Subscription>();
  const seen = seenIds(clock);
  let running: { readonly stop: AbortController; readonly begun: Promise<void> } | undefined;

  const publish = (summary: MailSummary) => {
    if (watchers.size === 0 || !seen.add(summary)) return;
    for (const watcher of watchers) watcher.deliver(summary);
  };
  const look = async (backMs: number | undefined, signal: AbortSignal) => {
    const now = clock.now();
    const since = backMs === undefined ? Math.max(seen.newestMs - usualDelayMs, now - 30_000) : now - backMs;
    const found = await layout.recent(since, mailCall(context, { signal }));
    for (const summary of found.toSorted((one, other) => (one.id < other.id ? -1 : 1))) publish(summary);
  };
  const begin = async (signal: AbortSignal) => {
    const startedAt = clock.now();
    seen.reset(startedAt);
    const there = await layout.recent(startedAt - farLooks[0].backMs, mailCall(context, { signal }));
    for (const summary of there) if (summary.created <= startedAt) seen.add(summary);
  };
  const run = async (signal: AbortSignal) => {
    for (let turn = 1; !signal.aborted; turn++) {
      try {
        await sleep(clock, pollMs, signal);
        const far = farLooks.find(({ every }) => turn % every === 0);
        await look(far?.backMs, signal);
      } catch (error) {
        if (!signal.aborted) logger.warn("looking for new messages failed", { table: context.table, error });
      }
    }
  };
  const start = () => {
    const stop = new AbortController();
    const begun = begin(stop.signal);
    running = { stop, begun };
    begun.then(
      () => context.background.add(run(stop.signal)),
      () => {
        if (running?.stop === stop) running = undefined;
      },
    );
    return running;
  };
  const unsubscribe = (watcher: Subscription) => {
    watchers.delete(watcher);
    watcher.end();
    if (watchers.size > 0) return;
    running?.stop.abort();
    running = undefined;
  };
  return {
    publish,
    async subscribe() {
      const watcher = subscription();
      watchers.add(watcher);
      try {
        await (running ?? start()).begun;
      } catch (error) {
        unsubscribe(watcher);
        throw error;
      }
      return watcher;
    },
    unsubscribe,
    close() {
      for (const watcher of [...watchers]) unsubscribe(watcher);
    },
  };
}
