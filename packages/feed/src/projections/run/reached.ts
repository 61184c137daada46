import type { CallOptions, Clock } from "@tablekeep/core";
import type { JournalEvent } from "@tablekeep/journal";
import type { OpenFeed } from "../../open-feed.ts";
import { eventCount, type FeedPage, type FeedRef } from "../../pages/page.ts";
import { sliceOf } from "../../pages/slices.ts";
import { decodePosition } from "../../read/feed-position.ts";
import { sleepUntilWoken } from "../../signals.ts";
import type { FeedRecord } from "../../store/feed-record.ts";
import { feedChanged, ProjectionError } from "../projection-error.ts";
import type { ReachedTarget } from "../running-projections.ts";
import { type ProjectionVersion, projectionKey, type SliceCursor } from "../store/projection-items.ts";
import type { ProjectionStore } from "../store/projection-store.ts";

/** Dependencies of a wait for a position. */
export interface ReachedContext {
  readonly store: ProjectionStore;
  readonly feed: OpenFeed;
  readonly record: FeedRecord;
  readonly clock: Clock;
  readonly version: ProjectionVersion;
  /** The cursor of a slice that this process has claimed. */
  readonly ownCursor: (slice: number) => SliceCursor | undefined;
  /** Waits until a position has moved in this process, for at most this long. */
  readonly untilMoved: (ms: number) => Promise<void>;
  /** Throws when the wait is over. */
  readonly check: () => void;
  readonly call: CallOptions;
}

/** Waits until a projection has passed the requested event or position. */
export async function waitUntilReached(context: ReachedContext, target: ReachedTarget): Promise<void> {
  if ("position" in target) {
    const { cursors } = decodePosition(target.position, context.record);
    for (const [slice, { page, skip }] of cursors.entries())
      await untilPassed(
        context,
        slice,
        (reached) => reached.page > page || (reached.page === page && reached.skip >= skip),
      );
    return;
  }
  const { persistenceId, sequenceNr } = target;
  const slice = sliceOf(persistenceId, context.record.slices);
  const offset = await offsetOf(context, slice, persistenceId, sequenceNr);
  await untilPassed(context, slice, (reached) => reached.offset > offset);
  const parked = await context.store.get(projectionKey.parked(context.version, slice, offset), context.call);
  if (parked === undefined) return;
  const { name } = context.version;
  const message = `event ${sequenceNr} of ${persistenceId} is parked in projection ${name}: ${parked["error"]?.S ?? ""}`;
  throw new ProjectionError("PROJECTION_EVENT_PARKED", message, { name, persistenceId, sequenceNr });
}

async function untilPassed(
  context: ReachedContext,
  slice: number,
  isPassed: (reached: SliceCursor) => boolean,
): Promise<void> {
  const { store, version, ownCursor, untilMoved, check, call } = context;
  for (let round = 0; ; round++) {
    const own = ownCursor(slice);
    const reached = own ?? (await store.slice(version, slice, call));
    if (reached !== undefined && isPassed(reached)) return;
    check();
    if (round % waitsPerCheck === waitsPerCheck - 1) await checkGeneration(context);
    await untilMoved(own === undefined ? Math.min(1000, 20 * 2 ** Math.min(round, 10)) : 1000);
    check();
  }
}

/** How much earlier than its event a page may seem to have been written, if clocks differ. */
const clockSkewMs = 5 * 60_000;

/** The number of waits without a result before the next check whether the feed was rebuilt. */
const waitsPerCheck = 4;

/** Throws `PROJECTION_FEED_CHANGED` if the feed has another generation, in which the awaited event never appears. */
async function checkGeneration({ feed, record, version, call }: ReachedContext): Promise<void> {
  const { generation } = await feed.record(call);
  if (generation !== record.generation) throw changed(record, generation, version);
}

function changed(
  { generation }: FeedRecord,
  current: number,
  { name, version }: ProjectionVersion,
): ProjectionError {
  return feedChanged(generation, current, { name, version });
}

/**
 * Finds the offset of an event: in the newest pages, then in new ones. Pages that were written long before the event are not
 * read.
 */
async function offsetOf(
  context: ReachedContext,
  slice: number,
  persistenceId: string,
  sequenceNr: number,
): Promise<number> {
  const { feed, record, version, call, check } = context;
  const { generation, arn } = record;
  const { tails } = await feed.store.readCheckpoint(generation, arn, call);
  const end = await feed.store.pages.count(generation, slice, tails[slice] ?? 0, call);
  let since: number | undefined;
  for await (const page of feed.store.pages.backwards(generation, slice, end, call)) {
    check();
    const found = placeIn(page, persistenceId, sequenceNr);
    if (found !== undefined) {
      const isFound = await isStored(feed, found.ref, sequenceNr, call);
      check();
      if (isFound) return found.offset;
      break;
    }
    if (page.followedBy !== undefined) throw changed(record, page.followedBy, version);
    since ??= ((await eventOf(feed, persistenceId, sequenceNr, call))?.timestamp ?? 0) - clockSkewMs;
    if (page.at < since) break;
  }
  for (let number = end, idle = 0; ; ) {
    const page = await feed.store.pages.read({ generation, slice, number }, call);
    const found = page && placeIn(page, persistenceId, sequenceNr);
    if (found !== undefined) return found.offset;
    check();
    if (page?.followedBy !== undefined) throw changed(record, page.followedBy, version);
    if (page === undefined) {
      if (++idle % waitsPerCheck === 0) await checkGeneration(context);
      const ms = Math.min(1000, 20 * 2 ** Math.min(idle - 1, 10));
      await sleepUntilWoken(context.clock, ms, call.signal, feed.notice.listen);
    } else {
      number++;
      idle = 0;
    }
    check();
  }
}

/** Returns an event as it is stored now; undefined if there is none, or if it cannot be read. */
async function eventOf(
  feed: OpenFeed,
  persistenceId: string,
  sequenceNr: number,
  call: CallOptions,
): Promise<JournalEvent | undefined> {
  const write = { persistenceId, first: sequenceNr, last: sequenceNr, mark: 0 };
  const [[event] = []] = await feed.changes.readWrites([write], call).catch(() => []);
  return event;
}

/** Whether a write in the feed contains the event that is stored now. It does not if the id was purged since, and the event was appended again. */
async function isStored(
  feed: OpenFeed,
  ref: FeedRef,
  sequenceNr: number,
  call: CallOptions,
): Promise<boolean> {
  const unreadable = "unreadable";
  const read = await feed.changes.readWrites([{ ...ref, only: sequenceNr }], call).catch(() => unreadable);
  if (read === unreadable || read[0]?.length !== 0) return true;
  return (await eventOf(feed, ref.persistenceId, sequenceNr, call)) === undefined;
}

function placeIn(
  { refs, first }: FeedPage,
  persistenceId: string,
  sequenceNr: number,
): { readonly offset: number; readonly ref: FeedRef } | undefined {
  let next = first;
  let found: { readonly offset: number; readonly ref: FeedRef } | undefined;
  for (const ref of refs) {
    // The last one: an id that was purged begins at 1 again.
    if (ref.persistenceId === persistenceId && ref.first <= sequenceNr && sequenceNr <= ref.last)
      found = { offset: next + sequenceNr - ref.first, ref };
    next += eventCount(ref);
  }
  return found;
}
