import { sleep } from "@tablekeep/core";
import { longMailCall, type MailContext } from "../model/mail-context.ts";
import type { MailLayout } from "../model/mail-layout.ts";
import { type FeedEntry, type QueuedChange, queuedChanges } from "./feed-entry.ts";
import { maxWaiting, type Subscription } from "./subscribers.ts";

/** Something to deliver: an entry, or a change that has none. */
export type Delivered = FeedEntry | Extract<QueuedChange, { kind: "cleared" }> | UnstoredDelete;

/** A delete in a layout that does not store changes. */
interface UnstoredDelete {
  readonly kind: "deleted";
  readonly id?: undefined;
  readonly ids: readonly string[];
}

/**
 * Delivers entries to watchers in the order in which they were announced. Marks and imported messages are read first, and what was announced after them
 * waits: a watcher that resumes after an entry has received all entries before it.
 */
export interface OrderedDelivery {
  deliver(entry: Delivered, watchers: readonly Subscription[]): void;
  /** Drops pending entries. The watchers have ended. */
  clear(): void;
}

/** The number of entries that are read and delivered together. */
const atOnce = 100;

interface Waiting {
  readonly entry: Delivered;
  readonly watchers: readonly Subscription[];
}

/** `onTooMany` is called if more than 10,000 entries wait, which ends all watchers. */
export function orderedDelivery(
  context: MailContext,
  layout: MailLayout,
  onTooMany: (maximum: number) => void,
): OrderedDelivery {
  let waiting: Waiting[] = [];
  let running: AbortController | undefined;
  const run = async (started: AbortController) => {
    const { signal } = started;
    while (!signal.aborted && waiting.length > 0) {
      const batch = waiting.slice(0, atOnce);
      try {
        const entries = batch.flatMap(({ entry }) => (isEntry(entry) ? [entry] : []));
        const changes = await queuedChanges(layout, entries, longMailCall(context, { signal }));
        if (signal.aborted) return;
        waiting = waiting.slice(batch.length);
        const ready = changes.values();
        for (const { entry, watchers } of batch) send(isEntry(entry) ? ready.next().value : entry, watchers);
      } catch (error) {
        if (signal.aborted) return;
        context.logger.warn("could not read messages for watchers", {
          table: context.table,
          error,
        });
        await sleep(context.clock, context.pollMs, signal).catch(() => {});
      }
    }
    // In the turn in which the last wait ends: what is delivered later must not wait for this.
    if (running === started) running = undefined;
  };
  const start = () => {
    const started = new AbortController();
    running = started;
    context.background.add(run(started));
  };
  return {
    deliver(entry, watchers) {
      const change = running === undefined ? changeOf(entry) : undefined;
      if (change !== undefined) {
        send(change, watchers);
        return;
      }
      waiting.push({ entry, watchers });
      if (waiting.length > maxWaiting) onTooMany(maxWaiting);
      else if (running === undefined) start();
    },
    clear() {
      waiting = [];
      running?.abort();
      running = undefined;
    },
  };
}

/** The change of an entry; undefined if that requires a read. */
function changeOf(entry: Delivered): QueuedChange | undefined {
  switch (entry.kind) {
    case "deleted":
      return { kind: "deleted", id: entry.id, ids: entry.ids };
    case "stored":
    case "cleared":
      return entry;
    case "marked":
    case "imported":
      return undefined;
  }
}

function isEntry(entry: Delivered): entry is FeedEntry {
  return entry.kind !== "cleared" && entry.id !== undefined;
}

/** Nothing is sent for an import whose message no longer exists. */
function send(change: QueuedChange | undefined, watchers: readonly Subscription[]): void {
  if (change === undefined) return;
  for (const watcher of watchers) watcher.deliver(change);
}
