import { ByteReader, MalformedBytes } from "../codecs/bytes.ts";
import type { EncodedPayload } from "../codecs/codec.ts";
import { type EventRow, firstOfBatch, lastOfBatch } from "./event-row.ts";
import { ByteWriter, readSigned, readText, readVarint } from "./packed-bytes.ts";

/** What an item says of its events as a whole. A write in it that differs says it itself. */
export interface PackedHead {
  readonly writeId: string;
  readonly writerUuid: string;
  /** Milliseconds. */
  readonly time: number;
}

/** The same with every tag of its events, once and in order. */
export interface TaggedHead extends PackedHead {
  readonly tags: readonly string[];
}

/** The first byte of the bytes of an item's events. */
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
  /** All tags of the item, which are not said again. */
  allTags: 64,
} as const;

/** The numbers of further fields. */
const moreFields = { deleted: 1, confirmations: 2, sender: 3 } as const;

/** Cuts rows that follow each other where one atomic write ends and the next begins. */
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

function isSameWrite(one: EventRow, other: EventRow): boolean {
  if (one.batch === undefined || other.batch === undefined) return false;
  if (one.writeId !== other.writeId || one.writerUuid !== other.writerUuid) return false;
  return firstOfBatch(one) === firstOfBatch(other) && lastOfBatch(one) === lastOfBatch(other);
}

/**
 * The bytes of the events of one item: for each atomic write a head (which says only what the item does not) and its events, each
 * with its own serializer, manifests, metadata and tags. Numbers are of seven bits a byte, the lowest first.
 */
export function encodeEvents(rows: readonly EventRow[], head: TaggedHead): Uint8Array {
  const bytes = new ByteWriter();
  bytes.byte(version);
  for (const write of writesOf(rows)) encodeWrite(bytes, write, head);
  return bytes.take();
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

/** The most bytes that the head of a write takes beside its write id and its writer. */
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
  // 0 for an event without a time, which only copies of an original's events are.
  if (flags & eventFlags.time) bytes.varint(timestamp === undefined ? 0 : timestamp + 1);
  if (more !== undefined) bytes.bytes(more);
  bytes.bytes(payload.bytes);
}

/** What only copies of an original's events have; undefined for all others. */
function furtherFields({ deleted, confirmations, sender }: EventRow): Uint8Array | undefined {
  if (deleted !== true && confirmations === undefined && sender === undefined) return undefined;
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
  return bytes.take();
}

/** Whose the events are, and the number of the first. */
export interface PackedPlace {
  readonly persistenceId: string;
  readonly first: number;
  readonly staged: boolean;
}

/** The events of an item. Throws {@link MalformedBytes} if they are not what {@link encodeEvents} writes. */
export function decodeEvents(bytes: Uint8Array, head: TaggedHead, place: PackedPlace): EventRow[] {
  const reader = new ByteReader(bytes);
  const found = reader.uint8();
  if (found !== version) throw new MalformedBytes(`are of the unknown version ${found}`);
  const rows: EventRow[] = [];
  while (reader.remaining > 0)
    decodeWrite(reader, head, { ...place, first: place.first + rows.length }, rows);
  return rows;
}

function decodeWrite(reader: ByteReader, head: TaggedHead, place: PackedPlace, rows: EventRow[]): void {
  const flags = reader.uint8();
  if (flags & ~7) throw new MalformedBytes("have an unknown flag");
  const count = readVarint(reader);
  const before = readVarint(reader);
  const after = readVarint(reader);
  // An event takes three bytes or more.
  if (count < 1 || count > reader.remaining) throw new MalformedBytes("have a wrong number of events");
  const writeId = flags & writeFlags.writeId ? readText(reader) : head.writeId;
  const writerUuid = flags & writeFlags.writerUuid ? readText(reader) : head.writerUuid;
  const time = flags & writeFlags.time ? readVarint(reader) : head.time;
  const lastIndex = before + count + after - 1;
  for (let at = 0; at < count; at++) {
    const event = decodeEvent(reader, time, head.tags);
    rows.push({
      kind: "event",
      persistenceId: place.persistenceId,
      sequenceNr: place.first + at,
      payload: event.payload,
      manifest: event.manifest,
      writerUuid,
      timestamp: event.timestamp,
      tags: event.tags,
      metadata: event.metadata,
      batch: lastIndex > 0 ? { index: before + at, lastIndex } : undefined,
      writeId,
      staged: place.staged,
      ...event.more,
    });
  }
}

type DecodedEvent = Pick<EventRow, "payload" | "manifest" | "timestamp" | "tags" | "metadata"> & {
  readonly more: Pick<EventRow, "deleted" | "confirmations" | "sender"> | undefined;
};

function decodeEvent(reader: ByteReader, time: number, allTags: readonly string[]): DecodedEvent {
  const flags = reader.uint8();
  if (flags & ~127) throw new MalformedBytes("have an unknown flag");
  const serializerId = readSigned(reader);
  const manifest = flags & eventFlags.manifest ? readText(reader) : "";
  const payloadManifest = flags & eventFlags.serializerManifest ? readText(reader) : "";
  const metadata = flags & eventFlags.metadata ? readPayload(reader) : undefined;
  const tags = flags & eventFlags.allTags ? allTags : flags & eventFlags.tags ? readTexts(reader) : [];
  const own = flags & eventFlags.time ? readVarint(reader) : undefined;
  const more = flags & eventFlags.more ? readFurther(reader.take(readVarint(reader))) : undefined;
  const timestamp = own === undefined ? time : own === 0 ? undefined : own - 1;
  const payload = { serializerId, manifest: payloadManifest, bytes: reader.take(readVarint(reader)) };
  return { payload, manifest, timestamp, tags, metadata, more };
}

function readPayload(reader: ByteReader): EncodedPayload {
  const serializerId = readSigned(reader);
  const manifest = readText(reader);
  return { serializerId, manifest, bytes: reader.take(readVarint(reader)) };
}

function readTexts(reader: ByteReader): string[] {
  const count = readVarint(reader);
  if (count > reader.remaining) throw new MalformedBytes("have a wrong number of strings");
  return Array.from({ length: count }, () => readText(reader));
}

function readFurther(bytes: Uint8Array): DecodedEvent["more"] {
  const reader = new ByteReader(bytes);
  const more: { deleted?: boolean; confirmations?: readonly string[]; sender?: string } = {};
  while (reader.remaining > 0) {
    const number = readVarint(reader);
    const value = reader.take(readVarint(reader));
    if (number === moreFields.deleted) more.deleted = true;
    else if (number === moreFields.confirmations) more.confirmations = readTexts(new ByteReader(value));
    else if (number === moreFields.sender) more.sender = readText(new ByteReader(value));
    else throw new MalformedBytes(`have the unknown field ${number}`);
  }
  return more;
}
