import { waitWithin } from "@tablekeep/client";
import type { MailSummary } from "../mail.ts";
import type { MailContext } from "../mail-context.ts";
import { MailError } from "../mail-error.ts";
import type { MailLayout } from "../mail-layout.ts";
import { mailLooks, maxSeen } from "./mail-looks.ts";
import { seenIds } from "./seen-ids.ts";
import { type Subscription, subscription, tooSlow } from "./subscription.ts";

/** What is new in a table, for all watchers of one store. */
export interface MailFeed {
  /** Tells of a message that this store has stored itself. */
  publish(summary: MailSummary): void;
  /** Begins to collect what comes from now on. Rejects if the table cannot be read, and when the signal says so. */
  subscribe(signal: AbortSignal | undefined): Promise<Subscription>;
  unsubscribe(subscription: Subscription): void;
  /** Ends all subscriptions. */
  close(): void;
}

/** Looks for messages of other instances as long as somebody watches. */
export function mailFeed(context: MailContext, layout: MailLayout): MailFeed {
  const watchers = new Set<Subscription>();
  const seen = seenIds(context.clock);
  let running: { readonly stop: AbortController; readonly begun: Promise<void> } | undefined;
  let closed = false;

  const publish = (summary: MailSummary) => {
    if (watchers.size === 0 || !seen.add(summary)) return;
    for (const watcher of watchers) watcher.deliver(summary);
  };
  const giveUp = () => {
    for (const watcher of [...watchers]) {
      watcher.end(tooSlow(maxSeen));
      unsubscribe(watcher);
    }
  };
  const refuseClosed = () => {
    if (closed) throw new MailError("MAIL_CLOSED", "this mail store was closed: open another", {});
  };
  const start = () => {
    const stop = new AbortController();
    const looks = mailLooks(context, layout, { seen, publish, giveUp });
    const begun = looks.begin(stop.signal);
    running = { stop, begun };
    begun.then(
      () => context.background.add(looks.run(stop.signal)),
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
    async subscribe(signal) {
      refuseClosed();
      const watcher = subscription();
      watchers.add(watcher);
      try {
        // Others may wait for the same beginning.
        await waitWithin({ clock: context.clock, signal }, (running ?? start()).begun);
      } catch (error) {
        unsubscribe(watcher);
        refuseClosed();
        throw error;
      }
      return watcher;
    },
    unsubscribe,
    close() {
      closed = true;
      for (const watcher of [...watchers]) unsubscribe(watcher);
    },
  };
}
