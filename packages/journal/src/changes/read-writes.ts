import { batchGet } from "@tablekeep/client";
import type { CallOptions, Item, Key } from "@tablekeep/core";
import { mapInOrder } from "../codecs/maybe-promise.ts";
import type { JournalEvent } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { isJournalError } from "../errors/journal-error.ts";
import { itemRows } from "../protocol/item-rows.ts";
import { pageSettings } from "../protocol/read-rows.ts";
import { eventReader, replayPages } from "../replay/replay.ts";
import type { ReplaySettings } from "../replay/replay-limit.ts";
import type { EventRow, JournalRow } from "../rows/event-row.ts";
import {
  damagedWrites,
  isCorrupt,
  isDamage,
  type OnUnreadableItem,
  type UnreadableItem,
} from "./damaged-writes.ts";
import {
  corruptItem,
  groupWrites,
  type JournalWrite,
  markOf,
  rowMark,
  withoutTags,
} from "./journal-write.ts";
import { OriginalBatches } from "./original-batch.ts";

/** The range of events of one write to read. */
export type WriteRange = Pick<JournalWrite, "persistenceId" | "first" | "last" | "mark">;

/** A write, of which all events are read or only one. */
export interface WriteToRead extends WriteRange {
  /** The sequence number of the only event to decode; the others may be unreadable. @default all */
  readonly only?: number;
}

/** Writes of more events than this are replayed: they are read by queries. */
const maxKeys = 100;

/**
 * Returns the events of each write. Those that have been deleted are missing. Reads by keys, as many writes at once as possible; events that
 * a compaction has moved, or that are not visible yet, are replayed.
 */
export async function readWrites(
  context: JournalContext,
  settings: ReplaySettings,
  writes: readonly WriteToRead[],
  call: CallOptions,
): Promise<JournalEvent[][]> {
  const { table, port } = context;
  const keys: { readonly table: string; readonly key: Key }[] = [];
  const starts = writes.map((write) => {
    const start = keys.length;
    for (const key of keysOf(context, write)) keys.push({ table, key });
    return start;
  });
  const settingsOfGet = { consistent: true, maxKeys: context.maxBatchGet, ...pageSettings(context, call) };
  const found = await batchGet(port, keys, settingsOfGet);
  const toEvent = eventReader(context, call);
  const replay = (range: WriteRange) => replayed(context, settings, range, call);
  const batches = new OriginalBatches(context, replay, call);
  const events: JournalEvent[][] = [];
  for (const [at, write] of writes.entries()) {
    const there = rowsOf(context, write, found.slice(starts[at], starts[at + 1]));
    const rows = isAll(write, there) ? there : await otherRows(write, there, batches, replay);
    const { only } = write;
    const wanted = only === undefined ? rows : rows.filter(({ sequenceNr }) => sequenceNr === only);
    const own = mapInOrder(wanted, toEvent);
    // Nothing is waited for unless a codec is asynchronous.
    events.push(own instanceof Promise ? await own : own);
  }
  return events;
}

function keysOf({ layout }: JournalContext, { persistenceId, first, last }: WriteRange): Key[] {
  if (layout.packed !== undefined) return [layout.eventKey(persistenceId, first)];
  if (last - first >= maxKeys) return [];
  return Array.from({ length: last - first + 1 }, (_unused, at) =>
    layout.eventKey(persistenceId, first + at),
  );
}

/** The rows of a write that are still at their original keys. */
function rowsOf(
  context: JournalContext,
  write: WriteRange,
  items: readonly (Item | undefined)[],
): readonly EventRow[] {
  const rows: EventRow[] = [];
  for (const item of items) {
    if (item === undefined) continue;
    for (const row of itemRows(context, write.persistenceId, item))
      if (row.kind === "event" && isOf(write, row)) rows.push(row);
  }
  return rows;
}

/** Whether these are all rows of a write. For a batch of the original, the replay decides whether they count. */
function isAll({ first, last }: WriteRange, rows: readonly EventRow[]): boolean {
  return rows.length === last - first + 1 && !rows.some(isOfOriginalBatch);
}

function isOfOriginalBatch({ writeId, batch }: EventRow): boolean {
  return writeId === undefined && batch !== undefined;
}

/** Returns the rows of a write of which `there` is only a part. */
async function otherRows(
  write: WriteRange,
  there: readonly EventRow[],
  batches: OriginalBatches,
  replay: (range: WriteRange) => Promise<readonly EventRow[]>,
): Promise<readonly EventRow[]> {
  const part = there.find(isOfOriginalBatch);
  if (part === undefined) return replay(write);
  return (await batches.rowsOf(part)).filter((row) => isOf(write, row));
}

function isOf({ first, last, mark }: WriteRange, row: EventRow): boolean {
  return row.sequenceNr >= first && row.sequenceNr <= last && (mark === 0 || rowMark(row) === mark);
}

async function replayed(
  context: JournalContext,
  settings: ReplaySettings,
  write: WriteRange,
  call: CallOptions,
): Promise<EventRow[]> {
  const rows = new Map<number, EventRow>();
  const range = { ...call, from: write.first, to: write.last };
  // The feed contains all events, including those of superseded writers.
  const all: ReplaySettings = { ...settings, replayFilter: "off" };
  for (;;) {
    try {
      for await (const page of replayPages(context, all, write.persistenceId, range))
        for (const row of page) if (isOf(write, row)) rows.set(row.sequenceNr, row);
      return [...rows.values()];
    } catch (error) {
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED")) throw error;
      rows.clear();
    }
  }
}

/** How to read the writes of an id. */
export interface WritesOfIdOptions extends CallOptions {
  /** Called for each item that does not show which writes it contains; then reading continues. @default reading ends with the error of the item */
  readonly onUnreadable?: OnUnreadableItem;
}

/** Returns all existing writes of an id, in order. A corrupt item counts as the write that its attributes describe. */
export async function* writesOfId(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  { onUnreadable = rethrow, ...call }: WritesOfIdOptions,
): AsyncGenerator<JournalWrite, void, undefined> {
  // What a superseded writer wrote is in the stream too.
  const all: ReplaySettings =
    settings.replayFilter === "fail" ? { ...settings, replayFilter: "off" } : settings;
  let next = 1;
  for (;;) {
    try {
      for await (const page of replayPages(context, all, persistenceId, { ...call, from: next })) {
        const end = page.at(-1)?.sequenceNr ?? 0;
        for (const write of groupWrites(page)) {
          // A staged write comes in parts.
          if (write.last < next) continue;
          next = write.last + 1;
          yield write.last > end ? withoutTags(write) : write;
        }
      }
      return;
    } catch (error) {
      if (isJournalError(error, "JOURNAL_REPLAY_TRIMMED")) next = Math.max(next, error.details.lowest);
      else if (isDamage(error))
        return yield* damagedWrites(context, all, { persistenceId, from: next, onUnreadable }, call);
      else throw error;
    }
  }
}

function rethrow({ error }: UnreadableItem): never {
  throw error;
}

/** The surroundings of a write in the journal. */
export interface Neighbors {
  /** The write before it, or its remains: its mark, and a time by which it was certainly committed, in milliseconds. */
  readonly before: { readonly mark: number; readonly time: number } | undefined;
  /** Whether the write itself still exists. */
  readonly isThere: boolean;
}

/** How long tombstones stay, in seconds. */
const tombstoneSeconds = 24 * 3600;

/** Reads what is at the first number of a write, and at the one before. For a corrupt item, its attributes count. */
export async function readNeighbors(
  context: JournalContext,
  { persistenceId, first, mark }: WriteRange,
  call: CallOptions,
): Promise<Neighbors> {
  const items = await itemsDownFrom(context, persistenceId, first, call);
  const rows: JournalRow[] = [];
  const corrupt: JournalWrite[] = [];
  for (const item of items) {
    try {
      rows.push(...itemRows(context, persistenceId, item));
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      corrupt.push(...corruptItem(context, persistenceId, item));
    }
  }
  const own = rows.find((row) => row.kind === "event" && row.sequenceNr === first);
  const before = rows.find((row) => covers(row, first - 1));
  const ownMark = own?.kind === "event" ? rowMark(own) : corrupt.find((write) => write.first === first)?.mark;
  const isThere = ownMark !== undefined && (mark === 0 || ownMark === mark);
  if (before !== undefined) return { before: describe(before), isThere };
  const corruptBefore = corrupt.find((write) => write.first < first && first - 1 <= write.last);
  // It is unknown when it was committed.
  return {
    before: corruptBefore && { mark: corruptBefore.mark, time: Number.POSITIVE_INFINITY },
    isThere,
  };
}

function covers(row: JournalRow, sequenceNr: number): boolean {
  if (row.kind === "event" || row.last === undefined) return row.sequenceNr === sequenceNr;
  return row.sequenceNr <= sequenceNr && sequenceNr <= row.last;
}

function describe(row: JournalRow): NonNullable<Neighbors["before"]> {
  if (row.kind === "event") {
    // A staged write may be committed much later than the times of its events.
    const time = row.staged || row.timestamp === undefined ? Number.POSITIVE_INFINITY : row.timestamp;
    return { mark: rowMark(row), time };
  }
  const { writeId = "", expiresAt } = row;
  const time = expiresAt === undefined ? Number.POSITIVE_INFINITY : (expiresAt - tombstoneSeconds) * 1000;
  return { mark: markOf(writeId), time };
}

/** The items at a number and right below it. */
async function itemsDownFrom(
  context: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  call: CallOptions,
): Promise<readonly Item[]> {
  const { port, table, layout } = context;
  const { packed } = layout;
  if (packed === undefined) {
    const numbers = sequenceNr > 1 ? [sequenceNr - 1, sequenceNr] : [sequenceNr];
    const keys = numbers.map((number) => ({ table, key: layout.eventKey(persistenceId, number) }));
    const items = await batchGet(port, keys, { consistent: true, ...pageSettings(context, call) });
    return items.filter((item) => item !== undefined);
  }
  const query = layout.spanQuery(persistenceId, { from: 1, to: sequenceNr });
  const input = { TableName: table, ...query, ConsistentRead: true, ScanIndexForward: false, Limit: 4 };
  const { Items = [] } = await port.query(input, call);
  return Items.filter((item) => packed.roleOf(item) === "event");
}
