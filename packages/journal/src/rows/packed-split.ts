import { itemSize } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import type { EventRow } from "./event-row.ts";
import { maxWriteHeadBytes, type PackedHead } from "./packed-events.ts";
import { encodePackedItem } from "./packed-item.ts";

/** The overhead of an event in bytes: flags, ids, lengths and its time. */
const eventBytes = 1 + 3 * 5 + 6 * 4 + 8;

/** Returns the maximum size of an event in an item, including its share of the item's tags. */
function maxBytes(row: EventRow): number {
  const { payload, manifest, metadata, tags, confirmations = [], sender = "" } = row;
  let bytes = eventBytes + payload.bytes.length + byteLength(payload.manifest) + byteLength(manifest);
  if (metadata !== undefined) bytes += metadata.bytes.length + byteLength(metadata.manifest);
  for (const tag of tags) bytes += 2 * byteLength(tag) + 4;
  for (const each of confirmations) bytes += byteLength(each) + 4;
  if (row.expiresAt !== undefined) bytes += 12;
  return bytes + byteLength(sender);
}

function byteLength(text: string): number {
  return text === "" ? 0 : Buffer.byteLength(text);
}

/** An item and its events. */
export interface PackedPart {
  readonly first: number;
  readonly item: Item;
  readonly size: number;
  readonly rows: readonly EventRow[];
}

/**
 * Packs consecutive rows into as few items as the size limit allows; each item has at least one row. `withKey` adds the attributes
 * of an item's key.
 */
export function packRows(
  rows: readonly EventRow[],
  head: PackedHead,
  limit: number,
  withKey: (item: Item, first: number) => Item,
): PackedPart[] {
  const part = (some: readonly EventRow[]): PackedPart => {
    const first = (some[0] as EventRow).sequenceNr;
    const item = withKey(encodePackedItem(some, head, first), first);
    return { first, item, size: itemSize(item), rows: some };
  };
  // Nearly always all rows fit into one item. Its exact size is known only once it is encoded.
  if (rows.length === 1) return [part(rows)];
  const all = rows.reduce((total, row) => total + row.payload.bytes.length, 0);
  if (all < limit) {
    const one = part(rows);
    if (one.size <= limit) return [one];
  }
  const base = itemSize(withKey({}, Number.MAX_SAFE_INTEGER)) + itemBytes(head);
  const parts: PackedPart[] = [];
  let some: EventRow[] = [];
  let bytes = base;
  let last: EventRow | undefined;
  for (const row of rows) {
    const begins = last === undefined || row.batch === undefined || row.batch.index === 0;
    const more = maxBytes(row) + (begins ? writeHeadBytes(row, head) : 0);
    if (some.length > 0 && bytes + more > limit) {
      parts.push(part(some));
      some = [];
      bytes = base + writeHeadBytes(row, head);
    }
    some.push(row);
    bytes += more;
    last = row;
  }
  parts.push(part(some));
  return parts;
}

/** Returns the size of an item's attributes other than its key, events and tags. */
function itemBytes({ writeId, writerUuid }: PackedHead): number {
  return byteLength(writeId) + byteLength(writerUuid) + 160;
}

function writeHeadBytes({ writeId = "", writerUuid }: EventRow, head: PackedHead): number {
  const own =
    (writeId === head.writeId ? 0 : byteLength(writeId)) +
    (writerUuid === head.writerUuid ? 0 : byteLength(writerUuid));
  return maxWriteHeadBytes + own;
}
