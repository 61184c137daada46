import { type Clock, sleep } from "@tablekeep/core";
import type { JournalEvent, ReplayOptions } from "../journal.ts";
import type { JournalContext } from "../journal-context.ts";
import { replay } from "../replay/replay.ts";
import type { ReplaySettings } from "../replay/replay-limit.ts";
import { currentPersistenceIds, type KnownId, type PersistenceIdsOptions } from "./persistence-ids.ts";

/** How long a live query waits before it looks again: longer each time that there is nothing, short again after that. */
const firstWaitMs = 100;
const longestWaitMs = 3_000;

/** The events of an id, those that are there and those that come, until the signal or `to`. */
export async function* eventsById(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<JournalEvent, void, undefined> {
  const { to = Number.MAX_SAFE_INTEGER, max = Number.POSITIVE_INFINITY, signal } = options;
  let from = options.from ?? 1;
  let left = max;
  for (let waitMs = firstWaitMs; from <= to && left > 0; ) {
    const before = from;
    for await (const event of replay(context, settings, persistenceId, { ...options, from, max: left })) {
      yield event;
      from = event.sequenceNr + 1;
      left--;
    }
    if (from > to || left <= 0) return;
    waitMs = from > before ? firstWaitMs : Math.min(waitMs * 2, longestWaitMs);
    if (!(await waited(context.clock, waitMs, signal))) return;
  }
}

/** The ids that are there and those that come, each once. Remembers all ids it gave. */
export async function* persistenceIds(
  context: JournalContext,
  options: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  const seen = new Set<string>();
  for (let waitMs = firstWaitMs; ; ) {
    const before = seen.size;
    for await (const known of currentPersistenceIds(context, options)) {
      if (seen.has(known.persistenceId)) continue;
      seen.add(known.persistenceId);
      yield known;
    }
    waitMs = seen.size > before ? firstWaitMs : Math.min(waitMs * 2, longestWaitMs);
    if (!(await waited(context.clock, waitMs, options.signal))) return;
  }
}

/** Waits; false as soon as the caller gives up: a live query ends quietly. */
async function waited(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(clock, ms, signal);
    return true;
  } catch {
    return false;
  }
}
