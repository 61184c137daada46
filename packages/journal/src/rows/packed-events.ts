import { MalformedBytes } from "../codecs/bytes.ts";
import type { EncodedPayload } from "../codecs/codec.ts";
import { type BatchPosition, type EventRow, firstOfBatch, isSameWrite, lastOfBatch } from "./event-row.ts";
import { ByteWriter, PackedReader } from "./packed-bytes.ts";

/** The attributes that apply to all events of an item. A write with other values stores its own. */
export interface PackedHead {
  readonly writeId: string;
  readonly writerUuid: string;
  /** Milliseconds. */
  readonly time: number;
}

/** A head with the distinct tags of all events, sorted. */
export interface TaggedHead extends PackedHead {
  readonly tags: readonly string[];
}

/** The first byte of an item's events: the version of the format. */
const version = 1;

const writeFlags = { writeId: 1, writerUuid: 2, time: 4 } as const;
const eventFlags = {
  manifest: 1,
  serializerManifest: 2,
  metadata: 4,
  tags: 8,
  /** A time other than that of its write. */
  time: 16,
  /** Further fields, each with its number and length. */
  more: 32,
  /** The event has all tags of the item, which are not repeated. */
  allTags: 64,
} as const;

/** The numbers of further fields. */
const moreFields = { deleted: 1, confirmations: 2, sender: 3, expiresAt: 4 } as const;

/** Splits consecutive rows into their atomic writes. */
function writesOf(rows: readonly EventRow[]): readonly (readonly EventRow[])[] {
  const writes: EventRow[][] = [];
  let last: EventRow | undefined;
  for (const row of rows) {
    if (last !== undefined && isSameWrite(last, row)) writes[writes.length - 1]?.push(row);
    else writes.push([row]);
    last = row;
  }
  return writes;
}

/**
 * Encodes the events of one item: for each atomic write a head (only what differs from the item's) and its events, each with its
 * own serializer, manifests, metadata and tags. Numbers have seven bits per byte, the lowest first.
 */
export function encodeEvents(rows: readonly EventRow[], head: TaggedHead): Uint8Array {
  const bytes = new ByteWriter(expectedBytes(rows));
  bytes.byte(version);
  for (const write of writesOf(rows)) encodeWrite(bytes, write, head);
  return bytes.take();
}

/** Returns about how many bytes the events need: enough for most, so that nothing is copied twice. */
function expectedBytes(rows: readonly EventRow[]): number {
  let bytes = 64;
  for (const { payload, metadata } of rows)
    bytes += 32 + payload.bytes.length + (metadata === undefined ? 0 : 32 + metadata.bytes.length);
  return bytes;
}

function encodeWrite(bytes: ByteWriter, rows: readonly EventRow[], head: TaggedHead): void {
  const [first] = rows as readonly [EventRow];
  const last = rows[rows.length - 1] as EventRow;
  const { writeId = head.writeId, writerUuid } = first;
  const time = first.timestamp ?? head.time;
  const flags =
    (writeId === head.writeId ? 0 : writeFlags.writeId) |
    (writerUuid === head.writerUuid ? 0 : writeFlags.writerUuid) |
    (time === head.time ? 0 : writeFlags.time);
  bytes.byte(flags);
  bytes.varint(rows.length);
  bytes.varint(first.sequenceNr - firstOfBatch(first));
  bytes.varint(lastOfBatch(last) - last.sequenceNr);
  if (flags & writeFlags.writeId) bytes.text(writeId);
  if (flags & writeFlags.writerUuid) bytes.text(writerUuid);
  if (flags & writeFlags.time) bytes.varint(time);
  for (const row of rows) encodeEvent(bytes, row, time, head.tags);
}

/** The maximum size of a write's head in bytes, without its write id and writer. */
export const maxWriteHeadBytes: number = 1 + 4 * 8 + 2 * 3;

function encodeEvent(bytes: ByteWriter, row: EventRow, time: number, allTags: readonly string[]): void {
  const { payload, manifest, metadata, tags, timestamp } = row;
  const more = furtherFields(row);
  const distinct = tags.length === 0 ? tags : [...new Set(tags)].sort();
  const flags =
    (manifest === "" ? 0 : eventFlags.manifest) |
    (payload.manifest === "" ? 0 : eventFlags.serializerManifest) |
    (metadata === undefined ? 0 : eventFlags.metadata) |
    (distinct.length === 0 ? 0 : distinct.length === allTags.length ? eventFlags.allTags : eventFlags.tags) |
    (timestamp === time ? 0 : eventFlags.time) |
    (more === undefined ? 0 : eventFlags.more);
  bytes.byte(flags);
  bytes.signed(payload.serializerId);
  if (flags & eventFlags.manifest) bytes.text(manifest);
  if (flags & eventFlags.serializerManifest) bytes.text(payload.manifest);
  if (metadata !== undefined) {
    bytes.signed(metadata.serializerId);
    bytes.text(metadata.manifest);
    bytes.bytes(metadata.bytes);
  }
  if (flags & eventFlags.tags) {
    bytes.varint(distinct.length);
    for (const tag of distinct) bytes.text(tag);
  }
  // 0 for an event without a time: only copies of the original's events have none.
  if (flags & eventFlags.time) bytes.varint(timestamp === undefined ? 0 : timestamp + 1);
  if (more !== undefined) bytes.bytes(more);
  bytes.bytes(payload.bytes);
}

/** Encodes the fields that few events have: an expiry, and those of copies of the original's events. Returns undefined if there are none. */
function furtherFields({ deleted, confirmations, sender, expiresAt }: EventRow): Uint8Array | undefined {
  if (deleted !== true && confirmations === undefined && sender === undefined && expiresAt === undefined)
    return undefined;
  const bytes = new ByteWriter();
  const field = (number: number, value: (inner: ByteWriter) => void) => {
    const inner = new ByteWriter();
    value(inner);
    bytes.varint(number);
    bytes.bytes(inner.take());
  };
  if (deleted === true) field(moreFields.deleted, () => {});
  if (confirmations !== undefined)
    field(moreFields.confirmations, (inner) => {
      inner.varint(confirmations.length);
      for (const each of confirmations) inner.text(each);
    });
  if (sender !== undefined) field(moreFields.sender, (inner) => inner.text(sender));
  if (expiresAt !== undefined) field(moreFields.expiresAt, (inner) => inner.varint(expiresAt));
  return bytes.take();
}

/** Whether the events of an item are one write, that of the item's head, and nothing of it is in an earlier item. */
export function isOneWrite(bytes: Uint8Array, count: number): boolean {
  if (bytes[0] !== version || bytes[1] !== 0) return false;
  let at = 2;
  let rest = count;
  for (; rest >= 128; rest = Math.floor(rest / 128)) if (bytes[at++] !== (rest % 128) + 128) return false;
  return bytes[at] === rest && bytes[at + 1] === 0;
}

/** The id of the events, and the sequence number of the first. */
export interface PackedPlace {
  readonly persistenceId: string;
  readonly first: number;
  readonly staged: boolean;
}

/** Decodes the events of an item. Throws {@link MalformedBytes} for anything that {@link encodeEvents} does not write. */
export function decodeEvents(bytes: Uint8Array, head: TaggedHead, place: PackedPlace): EventRow[] {
  const reader = new PackedReader(bytes);
  const found = reader.byte();
  if (found !== version) throw new MalformedBytes(`are of the unknown version ${found}`);
  const rows: EventRow[] = [];
  while (reader.remaining > 0) decodeWrite(reader, head, place, rows);
  return rows;
}

function decodeWrite(reader: PackedReader, head: TaggedHead, place: PackedPlace, rows: EventRow[]): void {
  const flags = reader.byte();
  if (flags & ~7) throw new MalformedBytes("have an unknown flag");
  const count = reader.varint();
  const before = reader.varint();
  const after = reader.varint();
  // An event takes three bytes or more.
  if (count < 1 || count > reader.remaining) throw new MalformedBytes("have a wrong number of events");
  const write = {
    place,
    writeId: flags & writeFlags.writeId ? reader.text() : head.writeId,
    writerUuid: flags & writeFlags.writerUuid ? reader.text() : head.writerUuid,
    time: flags & writeFlags.time ? reader.varint() : head.time,
    tags: head.tags,
  };
  const lastIndex = before + count + after - 1;
  for (let at = 0; at < count; at++) {
    const batch = lastIndex > 0 ? { index: before + at, lastIndex } : undefined;
    rows.push(decodeEvent(reader, write, place.first + rows.length, batch));
  }
}

/** What the events of a write have in common. */
interface DecodedWrite extends TaggedHead {
  readonly place: PackedPlace;
}

const noTags: readonly string[] = Object.freeze([]);

function decodeEvent(
  reader: PackedReader,
  { place, writeId, writerUuid, time, tags: allTags }: DecodedWrite,
  sequenceNr: number,
  batch: BatchPosition | undefined,
): EventRow {
  const flags = reader.byte();
  if (flags & ~127) throw new MalformedBytes("have an unknown flag");
  const serializerId = reader.signed();
  const manifest = flags & eventFlags.manifest ? reader.text() : "";
  const payloadManifest = flags & eventFlags.serializerManifest ? reader.text() : "";
  const metadata = flags & eventFlags.metadata ? readPayload(reader) : undefined;
  const tags = flags & eventFlags.allTags ? allTags : flags & eventFlags.tags ? readTexts(reader) : noTags;
  const own = flags & eventFlags.time ? reader.varint() : undefined;
  const more = flags & eventFlags.more ? readFurther(reader.bytes()) : undefined;
  const row: EventRow = {
    kind: "event",
    persistenceId: place.persistenceId,
    sequenceNr,
    payload: { serializerId, manifest: payloadManifest, bytes: reader.bytes() },
    manifest,
    writerUuid,
    timestamp: own === undefined ? time : own === 0 ? undefined : own - 1,
    tags,
    metadata,
    batch,
    writeId,
    staged: place.staged,
  };
  return more === undefined ? row : { ...row, ...more };
}

function readPayload(reader: PackedReader): EncodedPayload {
  const serializerId = reader.signed();
  const manifest = reader.text();
  return { serializerId, manifest, bytes: reader.bytes() };
}

function readTexts(reader: PackedReader): string[] {
  const count = reader.varint();
  if (count > reader.remaining) throw new MalformedBytes("have a wrong number of strings");
  return Array.from({ length: count }, () => reader.text());
}

type FurtherFields = Pick<EventRow, "deleted" | "confirmations" | "sender" | "expiresAt">;

function readFurther(bytes: Uint8Array): FurtherFields {
  const reader = new PackedReader(bytes);
  const more: { -readonly [Name in keyof FurtherFields]: EventRow[Name] } = {};
  while (reader.remaining > 0) {
    const number = reader.varint();
    const value = new PackedReader(reader.bytes());
    if (number === moreFields.deleted) more.deleted = true;
    else if (number === moreFields.confirmations) more.confirmations = readTexts(value);
    else if (number === moreFields.sender) more.sender = value.text();
    else if (number === moreFields.expiresAt) more.expiresAt = value.varint();
    else throw new MalformedBytes(`have the unknown field ${number}`);
  }
  return more;
}
