import { setMaxListeners } from "node:events";
import { waitWithin } from "@tablekeep/client";
import type { MailContext } from "../model/mail-context.ts";
import { MailError } from "../model/mail-error.ts";
import type { ChangeEntry, MailLayout } from "../model/mail-layout.ts";
import type { MailSummary } from "../model/message.ts";
import { type Announced, type AnnouncedIds, announcedIds } from "./announced-ids.ts";
import { type FeedEntry, storedEntry } from "./feed-entry.ts";
import { type LastPoll, type MailPoller, mailPoller, maxSeen } from "./mail-poller.ts";
import { type Delivered, orderedDelivery } from "./ordered-delivery.ts";
import { type Subscription, subscribers, subscription } from "./subscribers.ts";

/** Distributes a table's changes to all watchers of one store. */
export interface MailFeed {
  /** Announces a message that this store has committed. */
  publish(summary: MailSummary): void;
  /** Announces messages that this store has deleted. `change` is the entry, if the layout stores changes. */
  readonly publishDeleted: (ids: readonly string[], change?: ChangeEntry) => void;
  /** Announces messages that this store has marked. */
  readonly publishMarked: (change: ChangeEntry) => void;
  /** Announces that all messages were deleted, and which era has begun. */
  publishCleared(era: string): void;
  /**
   * Subscribes to messages from now on. Rejects if the table cannot be read, and when the signal is aborted. Messages found
   * meanwhile are among the announced ones and, for a watcher that resumes, only there.
   */
  subscribe(signal: AbortSignal | undefined, options?: { readonly resumes: boolean }): Promise<Subscription>;
  unsubscribe(subscription: Subscription): void;
  /** The recently announced messages, in order. */
  readonly announced: Pick<AnnouncedIds, "name" | "ids" | "coversFromMs">;
  /** Milliseconds since 1970 at which the last poll that succeeded began; 0 if there was none. */
  polledAtMs(): number;
  /** Ends all subscriptions. */
  close(): void;
}

/** How long announced messages are remembered without watchers. */
const idleMs = 600_000;

/** Polling while there are watchers. */
interface Running {
  readonly stop: AbortController;
  readonly begun: Promise<void>;
  catchUp(): Promise<void>;
}

function refuseIf(closed: boolean): void {
  if (closed) throw new MailError("MAIL_CLOSED", "this mail store is closed: open another one", {});
}

/** Starts polling: the first poll reports what was not announced, or reads the current messages. */
function startPolling({ background }: MailContext, poller: MailPoller, remembers: boolean): Running {
  const stop = new AbortController();
  // A poll reads all shards at a time, and each request listens.
  setMaxListeners(0, stop.signal);
  const begun = remembers ? poller.catchUp(stop.signal) : poller.begin(stop.signal);
  begun.then(
    () => background.add(poller.run(stop.signal)),
    () => {},
  );
  return { stop, begun, catchUp: () => poller.catchUp(stop.signal) };
}

/** `publish` announces an entry once, `deliver` something that has no entry. */
function publishCalls(
  layout: MailLayout,
  publish: (entry: FeedEntry) => void,
  deliver: (change: Delivered) => void,
): Pick<MailFeed, "publish" | "publishDeleted" | "publishMarked" | "publishCleared"> {
  return {
    publish: (summary) => publish(storedEntry(layout, summary)),
    publishDeleted: (ids, change) =>
      change === undefined ? deliver({ kind: "deleted", ids }) : publish(change),
    publishMarked: publish,
    publishCleared: (era) => deliver({ kind: "cleared", era }),
  };
}

/** Polls for messages of other instances while there are watchers. */
export function mailFeed(context: MailContext, layout: MailLayout): MailFeed {
  const watchers = subscribers();
  const seen = announcedIds(context.clock);
  const lastPoll: LastPoll = { at: 0 };
  let running: Running | undefined;
  /** When the last watcher left, by the monotonic clock. */
  let idleSince = Number.NEGATIVE_INFINITY;
  let closed = false;

  const isNew = (entry: Announced) => watchers.size > 0 && seen.add(entry);
  const endIfAlone = () => {
    if (watchers.size > 0) return;
    if (running !== undefined) idleSince = context.clock.monotonic();
    running?.stop.abort();
    running = undefined;
    delivery.clear();
  };
  const endAll = (maximum?: number) => {
    watchers.removeAll(maximum);
    endIfAlone();
  };
  const delivery = orderedDelivery(context, layout, endAll);
  const publish = (entry: FeedEntry) => isNew(entry) && delivery.deliver(entry, watchers.all());
  const found = (entry: FeedEntry) =>
    isNew(entry) && delivery.deliver(entry, watchers.expecting(entry.created));
  const giveUp = () => {
    endAll(maxSeen);
    lastPoll.at = 0;
  };
  const start = (): Running => {
    const remembers = lastPoll.at > 0 && context.clock.monotonic() - idleSince < idleMs;
    const poller = mailPoller(context, layout, { seen, found, giveUp }, lastPoll);
    const started = startPolling(context, poller, remembers);
    started.begun.catch(() => {
      if (running === started) running = undefined;
    });
    return started;
  };
  /** Messages that have not been announced before this resolves were stored before this watcher joined. */
  const join = async (watcher: Subscription, resumes: boolean) => {
    watchers.add(watcher, resumes ? Number.POSITIVE_INFINITY : context.clock.now());
    const others = running;
    running ??= start();
    await running.begun;
    await others?.catchUp();
    watchers.joined(watcher);
  };
  const unsubscribe = (watcher: Subscription) => {
    watchers.remove(watcher);
    endIfAlone();
  };
  return {
    ...publishCalls(layout, publish, (change) => delivery.deliver(change, watchers.all())),
    async subscribe(signal, { resumes } = { resumes: false }) {
      refuseIf(closed);
      const watcher = subscription();
      try {
        await waitWithin({ clock: context.clock, signal }, join(watcher, resumes));
      } catch (error) {
        unsubscribe(watcher);
        refuseIf(closed);
        throw error;
      }
      return watcher;
    },
    unsubscribe,
    announced: seen,
    polledAtMs: () => lastPoll.at,
    close() {
      closed = true;
      endAll();
    },
  };
}
