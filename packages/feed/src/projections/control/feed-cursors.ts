import type { CallOptions } from "@tablekeep/core";
import type { OpenFeed } from "../../open-feed.ts";
import { positionInvalid } from "../../read/feed-position.ts";
import { startCursors } from "../../read/start-cursors.ts";
import { requestSignal } from "../../signals.ts";
import type { SliceCursor } from "../store/projection-items.ts";

/** Where a projection can be moved to: as for reading a feed. */
export type RewindTarget = "start" | "end" | string | Date;

/** Returns the cursor of each slice that a target names. */
export async function cursorsAt(
  feed: OpenFeed,
  from: RewindTarget,
  options: CallOptions,
): Promise<SliceCursor[]> {
  const call = { ...options, signal: options.signal && requestSignal(options.signal) };
  const record = await feed.record(call);
  const cursors = await startCursors({ store: feed.store, record }, { from }, call);
  const { generation } = record;
  return Promise.all(
    cursors.map(async ({ page, skip }, slice) => {
      if (page === 0 && skip === 0) return { offset: 0, page, skip };
      const before = await feed.store.pages.read(
        { generation, slice, number: page - (skip === 0 ? 1 : 0) },
        call,
      );
      if (before === undefined || skip > before.count)
        throw positionInvalid(String(from), "the feed does not have the events before it");
      const { first, count, by } = before;
      return { offset: first + (skip === 0 ? count : skip), page, skip, by };
    }),
  );
}

/** Returns the cursor of the event with this offset in a slice, or the end of the slice if there is none yet. */
export async function cursorOfOffset(
  feed: OpenFeed,
  slice: number,
  offset: number,
  call: CallOptions,
): Promise<SliceCursor> {
  const { generation, arn } = await feed.record(call);
  const { tails } = await feed.store.readCheckpoint(generation, arn, call);
  const end = await feed.store.pages.count(generation, slice, tails[slice] ?? 0, call);
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const page = await feed.store.pages.read({ generation, slice, number: middle }, call);
    if (page !== undefined && page.first + page.count <= offset) low = middle + 1;
    else high = middle;
  }
  const readPage = (number: number) => feed.store.pages.read({ generation, slice, number }, call);
  const page = await readPage(low);
  const skip = page === undefined ? 0 : offset - page.first;
  const before = skip > 0 ? page : low > 0 ? await readPage(low - 1) : undefined;
  return { offset, page: low, skip, ...(before && { by: before.by }) };
}
