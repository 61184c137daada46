import { waitWithin } from "@tablekeep/client";
import type { MailSummary } from "../mail.ts";
import type { MailContext } from "../mail-context.ts";
import { MailError } from "../mail-error.ts";
import type { MailLayout } from "../mail-layout.ts";
import { audience } from "./audience.ts";
import { mailLooks, maxSeen } from "./mail-looks.ts";
import { seenIds } from "./seen-ids.ts";
import { type Subscription, subscription } from "./subscription.ts";

/** What is new in a table, for all watchers of one store. */
export interface MailFeed {
  /** Tells of a message that this store has stored itself. */
  publish(summary: MailSummary): void;
  /** Reports messages that this store has deleted itself. */
  readonly publishDeleted: (ids: readonly string[]) => void;
  /** Begins to collect what comes from now on. Rejects if the table cannot be read, and when the signal says so. */
  subscribe(signal: AbortSignal | undefined): Promise<Subscription>;
  unsubscribe(subscription: Subscription): void;
  /** Ends all subscriptions. */
  close(): void;
}

/** The looks that are made while somebody watches. */
interface Running {
  readonly stop: AbortController;
  readonly begun: Promise<void>;
  catchUp(): Promise<void>;
}

/** Looks for messages of other instances as long as somebody watches. */
export function mailFeed(context: MailContext, layout: MailLayout): MailFeed {
  const watchers = audience();
  const seen = seenIds(context.clock);
  let running: Running | undefined;
  let closed = false;

  const isNew = (summary: MailSummary) => watchers.size > 0 && seen.add(summary);
  const endIfAlone = () => {
    if (watchers.size > 0) return;
    running?.stop.abort();
    running = undefined;
  };
  const endAll = (maximum?: number) => {
    watchers.removeAll(maximum);
    endIfAlone();
  };
  const found = (summary: MailSummary) => {
    if (isNew(summary)) watchers.tellFound(summary);
  };
  const refuseClosed = () => {
    if (closed) throw new MailError("MAIL_CLOSED", "this mail store was closed: open another", {});
  };
  const start = async (watcher: Subscription) => {
    watchers.add(watcher);
    const stop = new AbortController();
    const looks = mailLooks(context, layout, { seen, found, giveUp: () => endAll(maxSeen) });
    const begun = looks.begin(stop.signal);
    running = { stop, begun, catchUp: () => looks.catchUp(stop.signal) };
    begun.then(
      () => context.background.add(looks.run(stop.signal)),
      () => {
        if (running?.stop === stop) running = undefined;
      },
    );
    await begun;
  };
  /** Others watch already: what they have not been told of by now was there before this one. */
  const join = async (watcher: Subscription, { begun, catchUp }: Running) => {
    watchers.add(watcher, context.clock.now());
    await begun;
    await catchUp();
    watchers.joined(watcher);
  };
  const unsubscribe = (watcher: Subscription) => {
    watchers.remove(watcher);
    endIfAlone();
  };
  return {
    publish(summary) {
      if (isNew(summary)) watchers.tell(summary);
    },
    publishDeleted: (ids) => watchers.tellDeleted(ids),
    async subscribe(signal) {
      refuseClosed();
      const watcher = subscription();
      try {
        const ready = running === undefined ? start(watcher) : join(watcher, running);
        await waitWithin({ clock: context.clock, signal }, ready);
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
      endAll();
    },
  };
}
