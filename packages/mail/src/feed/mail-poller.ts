import { sleep } from "@tablekeep/core";
import type { MailSummary } from "../model/mail.ts";
import { longMailCall, type MailCall, type MailContext, mailCall } from "../model/mail-context.ts";
import type { MailLayout } from "../model/mail-layout.ts";
import type { AnnouncedIds } from "./announced-ids.ts";

/** Writes that take as long as this are seen by the next look that goes further back. */
const typicalDelayMs = 3000;

/** Every so many looks go back so far: for writes that took longer, and for clocks that are behind. */
const farPolls = [
  { every: 120, backMs: 315_000 },
  { every: 20, backMs: 30_000 },
] as const;

/** As far as anyone looks back from the last look that succeeded. */
const farthestMs = farPolls[0].backMs;

/** Ids that are remembered at most while looks fail for long. */
export const maxSeen = 200_000;

/** Whom the looks tell. */
export interface PollListener {
  readonly seen: AnnouncedIds;
  /** Takes what was found, also what was known. */
  found(summary: MailSummary): void;
  /** Looks have failed for so long that not all ids can be remembered: nothing more comes. */
  giveUp(): void;
}

/** Looks for new messages in a table, again and again. */
export interface MailPoller {
  /** Learns what is there. */
  begin(signal: AbortSignal): Promise<void>;
  /** Finds whatever is there and was not found before, for one who wants to hear of later messages only. */
  catchUp(signal: AbortSignal): Promise<void>;
  /** Looks until the signal ends it. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** When a look last succeeded, in milliseconds since 1970; 0 if what was there is not known. It outlives the watchers. */
export interface LastPoll {
  at: number;
}

/** Each look begins where the last one that succeeded has been: what comes while looks fail is found by the first that does not. */
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
  const look = async (farMs: number, call: MailCall) => {
    const now = clock.now();
    // What came while looks failed may have come late, too.
    const backMs = now - lastPoll.at > pollMs + 30_000 ? farthestMs : farMs;
    const usual = backMs === 0 ? Math.max(seen.newestMs - typicalDelayMs, now - 30_000) : now - backMs;
    const since = Math.min(usual, lastPoll.at - Math.max(backMs, typicalDelayMs));
    const found = await layout.recent(since, call);
    // Whoever watches by now may have begun after this was to end.
    call.signal?.throwIfAborted();
    for (const summary of byId(found)) out.found(summary);
    lastPoll.at = now;
    seen.forget(now - farthestMs);
  };
  return {
    async begin(signal) {
      const now = clock.now();
      lastPoll.at = 0;
      seen.reset(now, now - farthestMs);
      const there = await layout.recent(now - farthestMs, mailCall(context, { signal }));
      for (const summary of byId(there)) if (summary.created <= now) seen.add(summary);
      lastPoll.at = now;
    },
    catchUp(signal) {
      // Those who come during one share the next: only that begins after all of them.
      const next = async () => {
        await catching?.catch(() => {});
        waiting = undefined;
        catching = look(farthestMs, mailCall(context, { signal }));
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
          // A far look that failed is made up for.
          farMs = Math.max(farMs, farPolls.find(({ every }) => turn % every === 0)?.backMs ?? 0);
          await look(farMs, longMailCall(context, { signal }));
          farMs = 0;
        } catch (error) {
          if (signal.aborted) return;
          logger.warn("looking for new messages failed", { table: context.table, error });
          if (clock.now() - lastPoll.at > farthestMs && seen.size > maxSeen) out.giveUp();
        }
      }
    },
  };
}

function byId(summaries: readonly MailSummary[]): MailSummary[] {
  return summaries.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
