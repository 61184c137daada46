import { sleep } from "@tablekeep/core";
import { longMailCall, type MailCall, type MailContext, mailCall } from "../model/mail-context.ts";
import type { MailLayout } from "../model/mail-layout.ts";
import type { AnnouncedIds } from "./announced-ids.ts";
import { type FeedEntry, recentEntries } from "./feed-entry.ts";

/** Writes that take longer than this are found by the next poll that goes further back. */
const typicalDelayMs = 3000;

/** How often polls go back further: for slow writes, and for clocks that are behind. */
const farPolls = [
  { every: 120, backMs: 315_000 },
  { every: 20, backMs: 30_000 },
] as const;

/** Maximum time that polls go back from the last successful one. */
const farthestMs = farPolls[0].backMs;

/** Maximum number of ids remembered during an outage. */
export const maxSeen = 200_000;

/** Receives the results of polls. */
export interface PollListener {
  readonly seen: AnnouncedIds;
  /** Receives each message and each change found, announced ones included. */
  found(entry: FeedEntry): void;
  /** Polls have failed for too long to remember all ids: polling ends. */
  giveUp(): void;
}

/** Polls a table for new messages. */
export interface MailPoller {
  /** Reads the current messages without reporting them. */
  begin(signal: AbortSignal): Promise<void>;
  /** Reports everything that was not found before, so that a new watcher receives only later messages. */
  catchUp(signal: AbortSignal): Promise<void>;
  /** Polls until the signal is aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** The time of the last successful poll, in milliseconds since 1970; 0 if there was none. It outlives the watchers. */
export interface LastPoll {
  at: number;
}

/** Each poll begins where the last successful one ended: the first poll after an outage finds everything. */
export function mailPoller(
  context: MailContext,
  layout: MailLayout,
  out: PollListener,
  lastPoll: LastPoll,
): MailPoller {
  const { clock, logger, pollMs } = context;
  const { seen } = out;
  let catching: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;
  const poll = async (farMs: number, call: MailCall) => {
    const now = clock.now();
    // Messages stored during an outage may also have been written slowly.
    const backMs = now - lastPoll.at > pollMs + 30_000 ? farthestMs : farMs;
    const start = backMs === 0 ? Math.max(seen.newestMs - typicalDelayMs, now - 30_000) : now - backMs;
    const since = Math.min(start, lastPoll.at - Math.max(backMs, typicalDelayMs));
    const found = await recentEntries(layout, since, call);
    // Current watchers may have started after the end of this poll was requested.
    call.signal?.throwIfAborted();
    for (const entry of found) out.found(entry);
    lastPoll.at = now;
    seen.forget(now - farthestMs);
  };
  return {
    async begin(signal) {
      const now = clock.now();
      lastPoll.at = 0;
      seen.reset(now, now - farthestMs);
      const there = await recentEntries(layout, now - farthestMs, mailCall(context, { signal }));
      // Messages that were announced meanwhile come after these, even if they have a lower id.
      seen.addEarlier(there.filter(({ created }) => created <= now));
      lastPoll.at = now;
    },
    catchUp(signal) {
      // Callers that arrive during a poll share the next one, which begins after all of them.
      const next = async () => {
        await catching?.catch(() => {});
        waiting = undefined;
        catching = poll(farthestMs, mailCall(context, { signal }));
        return catching;
      };
      waiting ??= next();
      return waiting;
    },
    async run(signal) {
      let farMs = 0;
      for (let turn = 1; !signal.aborted; turn++) {
        try {
          await sleep(clock, pollMs, signal);
          // A long poll that failed is repeated.
          farMs = Math.max(farMs, farPolls.find(({ every }) => turn % every === 0)?.backMs ?? 0);
          await poll(farMs, longMailCall(context, { signal }));
          farMs = 0;
        } catch (error) {
          if (signal.aborted) return;
          logger.warn("could not poll for new messages", { table: context.table, error });
          if (clock.now() - lastPoll.at > farthestMs && seen.size > maxSeen) out.giveUp();
        }
      }
    },
  };
}
