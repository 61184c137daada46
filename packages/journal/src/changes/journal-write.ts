import { crc32 } from "node:zlib";
import type { Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { numberOf } from "../layouts/layout.ts";
import { itemRows } from "../protocol/item-rows.ts";
import { type EventRow, firstOfBatch, lastOfBatch } from "../rows/event-row.ts";
import { packedSpan, packedWrite } from "../rows/packed-item.ts";

/** One atomic write of an id. For the original, whose writes are not reliably atomic, one event. */
export interface JournalWrite {
  readonly persistenceId: string;
  readonly first: number;
  readonly last: number;
  /** A hash of its write id, of 32 bits: tells two lives of an id apart. 0 if unknown. */
  readonly mark: number;
  /** A hash of its writer's id. 0 if unknown. */
  readonly writer: number;
  /** The tags of all its events. Undefined if unknown. */
  readonly tags?: readonly string[];
}

/** A change to an item of the journal's table, as its stream reports it. */
export interface StreamChange {
  readonly kind: "insert" | "modify" | "remove";
  readonly keys: Key;
  /** The item after the change. Undefined if the stream contains keys only. */
  readonly image?: Item;
  /** The item before the change, if the stream contains it. */
  readonly before?: Item;
}

/** The attribute of an item that replaced a dead staged one: in a stream it is a change, not a new item. */
const overAttribute = "over";

/** Returns a hash of 32 bits; 0 only for an empty string. */
export function markOf(text: string): number {
  return text === "" ? 0 : crc32(text) || 1;
}

/** Returns the mark of the write that a row belongs to. */
export function rowMark({ writeId, writerUuid }: Pick<EventRow, "writeId" | "writerUuid">): number {
  return markOf(writeId ?? writerUuid);
}

/**
 * Returns the writes that a change commits. A write of several items is committed by its first, a staged one by its commit record.
 * Deletions and compactions change items too, and commit nothing.
 */
export function writesOfChange(context: JournalContext, change: StreamChange): readonly JournalWrite[] {
  const { kind, keys, image, before } = change;
  if (kind === "remove") return [];
  const item = image ?? keys;
  const found = context.layout.describe(item);
  if (found.kind === "commit") return commitOf(found.persistenceId, found.first, kind, image);
  if (found.kind !== "event") return [];
  const { persistenceId, sequenceNr } = found;
  if (image === undefined)
    return kind === "insert"
      ? [{ persistenceId, first: sequenceNr, last: sequenceNr, mark: 0, writer: 0 }]
      : [];
  if (kind === "modify" && image[overAttribute]?.BOOL !== true && !isOverwritten(before, image)) return [];
  if (image["tomb"]?.BOOL === true || isStaged(image)) return [];
  const { layout } = context;
  const write = layout.packed && packedWrite(image, layout.sequenceNrOf(persistenceId, image));
  if (write === undefined) return writesOfItem(context, persistenceId, image);
  const { first, last, isWhole, tags } = write;
  const mark = markOf(write.writeId);
  const writer = markOf(write.writerUuid);
  // For every event of a feed: without spreading, because objects of one shape cost less.
  return [
    isWhole
      ? { persistenceId, first, last, mark, writer, tags }
      : { persistenceId, first, last, mark, writer },
  ];
}

/** Only our rows are staged. */
export function isStaged({ wid, staged }: Item): boolean {
  return wid !== undefined && staged?.BOOL === true;
}

/** Whether the original has replaced an event with one of another writer, which it does if it does not see the former. */
function isOverwritten(before: Item | undefined, { wid, writer_uuid: writer }: Item): boolean {
  if (before === undefined || wid !== undefined || writer?.S === undefined) return false;
  return before["writer_uuid"]?.S !== writer.S;
}

function commitOf(
  persistenceId: string,
  first: number,
  kind: StreamChange["kind"],
  image: Item | undefined,
): readonly JournalWrite[] {
  const last = numberOf(image, "last");
  // A delete gives the record a time to live: that is a change to it.
  if (last === undefined || kind !== "insert") return [];
  return [{ persistenceId, first, last, mark: markOf(image?.["wid"]?.S ?? ""), writer: 0 }];
}

function writesOfItem(context: JournalContext, persistenceId: string, item: Item): readonly JournalWrite[] {
  let rows: EventRow[];
  try {
    rows = itemRows(context, persistenceId, item).filter((row) => row.kind === "event");
  } catch {
    return corruptItem(context, persistenceId, item);
  }
  const first = context.layout.sequenceNrOf(persistenceId, item);
  const writes = groupWrites(rows).filter((write) => write.first >= first);
  const [last] = rows.slice(-1);
  // Its other items have tags too.
  return writes.map((write) =>
    last !== undefined && write.last > last.sequenceNr ? withoutTags(write) : write,
  );
}

/** Returns a write whose tags are unknown. */
export function withoutTags({ tags: _tags, ...write }: JournalWrite): JournalWrite {
  return write;
}

/** Returns the write that the attributes describe: an item that cannot be decoded fails where its events are read. */
export function corruptItem(
  context: JournalContext,
  persistenceId: string,
  item: Item,
): readonly JournalWrite[] {
  const sequenceNr = context.layout.sequenceNrOf(persistenceId, item);
  const mark = markOf(item["wid"]?.S ?? "");
  if (context.layout.packed === undefined)
    return [{ persistenceId, first: sequenceNr, last: sequenceNr, mark, writer: 0 }];
  const { first, writeFirst, writeLast } = packedSpan(item, sequenceNr);
  return writeFirst < first ? [] : [{ persistenceId, first, last: writeLast, mark, writer: 0 }];
}

/** Returns the writes that rows belong to, in order. Rows of the original are one write each. */
export function groupWrites(rows: readonly EventRow[]): JournalWrite[] {
  const writes: (JournalWrite & { readonly tags: readonly string[] })[] = [];
  for (const row of rows) {
    const isOurs = row.writeId !== undefined;
    const first = isOurs ? firstOfBatch(row) : row.sequenceNr;
    const before = writes[writes.length - 1];
    if (before !== undefined && before.first === first) {
      if (row.tags.length > 0)
        writes[writes.length - 1] = { ...before, tags: [...new Set([...before.tags, ...row.tags])] };
      continue;
    }
    const last = isOurs ? lastOfBatch(row) : row.sequenceNr;
    const { persistenceId, tags, writerUuid } = row;
    writes.push({ persistenceId, first, last, mark: rowMark(row), writer: markOf(writerUuid), tags });
  }
  return writes;
}
