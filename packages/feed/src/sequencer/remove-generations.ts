import { type CallOptions, type Clock, isTablekeepError, type Logger, sleep } from "@tablekeep/core";
import type { PageKey } from "../store/feed-pages.ts";
import type { FeedRecord, OldGeneration } from "../store/feed-record.ts";
import type { FeedStore } from "../store/feed-store.ts";

/** The number of pages that one request removes: DynamoDB's maximum. */
const pagesAtOnce = 25;
/** The number of requests after which the progress of a removal is stored. */
const requestsPerMark = 20;
/** The wait between two requests in the background, in milliseconds: the table has more important work. */
const pauseMs = 200;

/** Dependencies of the removal of generations. */
export interface RemovalContext {
  readonly store: FeedStore;
  /** Called before each request that removes pages. @default nothing is waited for */
  readonly pause?: () => Promise<void>;
}

/**
 * Removes the pages of the generations that the record lists, once the feed has followed them. May end at any request and be called again, also
 * by several processes at once. Returns how many pages it has removed. Follows the model in `simulation/feed-removal`.
 */
export async function removeGenerations(
  context: RemovalContext,
  record: FeedRecord,
  call: CallOptions,
): Promise<number> {
  if (record.state !== "live") return 0;
  let removed = 0;
  for (const old of record.old ?? []) removed += await removeGeneration(context, record, old, call);
  return removed;
}

async function removeGeneration(
  { store, pause = async () => {} }: RemovalContext,
  record: FeedRecord,
  { generation, slices }: OldGeneration,
  call: CallOptions,
): Promise<number> {
  let left = await store.readRemoval(generation, call);
  if (left === undefined) {
    const counted = await endSlices(store, record, { generation, slices }, call);
    await store.writeRemoval(generation, counted, true, call);
    // Another may have counted before it removed pages: its count is right. If there is none, it has removed all.
    left = await store.readRemoval(generation, call);
    if (left === undefined) return 0;
  }
  let removed = 0;
  for (let requests = 1; left.some((count) => count > 0); requests++) {
    const { keys, rest } = newestPages(generation, left);
    await pause();
    await store.pages.remove(keys, call);
    removed += keys.length;
    left = rest;
    if (requests % requestsPerMark === 0) await store.writeRemoval(generation, left, false, call);
  }
  await forget(store, generation, call);
  return removed;
}

/** Ends all slices, so that a process that has not noticed the new generation cannot add a page, which would never be removed. */
async function endSlices(
  store: FeedStore,
  { generation: current, arn }: FeedRecord,
  { generation, slices }: OldGeneration,
  call: CallOptions,
): Promise<number[]> {
  const { tails } = await store.readCheckpoint(generation, arn, call);
  const left: number[] = [];
  for (let slice = 0; slice < slices; slice++)
    left.push(await store.pages.endSlice({ generation, slice }, tails[slice] ?? 0, current, call));
  return left;
}

/** Chooses the pages of one request, the newest of a slice first, and returns what is left after it. */
function newestPages(generation: number, left: readonly number[]): { keys: PageKey[]; rest: number[] } {
  const keys: PageKey[] = [];
  const rest = left.map((count, slice) => {
    const taken = Math.min(count, pagesAtOnce - keys.length);
    for (let at = 1; at <= taken; at++) keys.push({ generation, slice, number: count - at });
    return count - taken;
  });
  return { keys, rest };
}

/** Removes a generation from the record's list. Another process may change the record at the same time. */
async function forget(store: FeedStore, generation: number, call: CallOptions): Promise<void> {
  for (let record = await store.readRecord(call); record !== undefined; ) {
    record = await store.forgetGeneration(record, generation, call);
    if (record?.old?.some((each) => each.generation === generation) !== true) return;
  }
}

/** Removes generations beside other work until the signal aborts. A failure is reported: the next run continues. */
export async function removeInBackground(
  { store, clock, logger }: { store: FeedStore; clock: Clock; logger: Logger },
  record: FeedRecord,
  signal: AbortSignal,
): Promise<void> {
  try {
    await removeGenerations({ store, pause: () => sleep(clock, pauseMs, signal) }, record, { signal });
  } catch (error) {
    if (signal.aborted || !isTablekeepError(error)) return;
    logger.warn("could not remove old pages of a feed; the next run continues", { error });
  }
}
