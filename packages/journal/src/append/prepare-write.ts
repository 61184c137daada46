import { itemSize, maxItemBytes, newWriteId } from "@tablekeep/client";
import type { Item, TransactWriteItem } from "@tablekeep/core";
import { checkAkkaReads } from "../codecs/akka-line.ts";
import type { EncodedPayload } from "../codecs/codec.ts";
import { attempt, continueWith, type MaybePromise, mapInOrder } from "../codecs/maybe-promise.ts";
import type { AtomicWrite, NewEvent } from "../context/journal.ts";
import { isShared, type JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { MarkWrite } from "../layouts/layout.ts";
import { writeRow } from "../protocol/row-item.ts";
import type { EventRow } from "../rows/event-row.ts";
import { originalSizeError } from "../rows/original-item-size.ts";
import { packRows } from "../rows/packed-split.ts";
import { checkRow, type RowFormat } from "../rows/row-format.ts";
import type { WriterSession } from "./writer-session.ts";

/** One atomic write, encoded, checked and numbered, ready to be sent. */
export interface PreparedWrite {
  readonly persistenceId: string;
  /**
   * Stored in all its rows. An earlier success of the same write is identified by this id, never by writer and sequence
   * number alone.
   */
  readonly writeId: string;
  readonly first: number;
  readonly last: number;
  /** Its items, in order: one for each event, or, in the packed layout, as many as needed. */
  readonly items: readonly Item[];
  /** The sequence number of the first event of each item, which is its key. */
  readonly numbers: readonly number[];
  /** The size of each item as DynamoDB counts it, in bytes. */
  readonly sizes: readonly number[];
  /** The high mark to write with it; undefined if the id's marks are high enough already. */
  readonly mark: MarkWrite | undefined;
  readonly alsoWrite: readonly TransactWriteItem[];
}

/**
 * Encodes an atomic write and assigns its sequence numbers. Throws if one of its events cannot be stored: then none is.
 * Returns a promise only if a codec does.
 */
export function prepareWrite(
  context: JournalContext,
  session: WriterSession,
  write: AtomicWrite,
  alsoWrite: readonly TransactWriteItem[],
): MaybePromise<PreparedWrite> {
  const events = Array.isArray(write) ? (write as readonly NewEvent[]) : [write as NewEvent];
  const { persistenceId } = session;
  const writeId = newWriteId();
  // One time for all events of a write, however long it takes to encode them.
  const now = Math.floor(context.clock.now());
  const first = session.next;
  const last = first + events.length - 1;
  if (events.length === 0) {
    throw new JournalError("JOURNAL_EVENT_INVALID", "an atomic write must have at least one event", {
      field: "writes",
      reason: "must have at least one event",
    });
  }
  if (!Number.isSafeInteger(last)) {
    throw new JournalError("JOURNAL_SEQUENCE_NR_UNSAFE", `${persistenceId}: no sequence numbers are left`, {
      sequenceNr: String(last),
    });
  }
  const encoded = mapInOrder(events, (event, index) =>
    rowOf(context, session, event, { writeId, now, first, index, of: events.length }),
  );
  return continueWith(encoded, (rows) => {
    const all = itemsOf(context, rows, context.format);
    for (const { row, size } of all) checkSize(context, row, size);
    const { items, numbers, sizes } = sendable(all);
    const mark = context.layout.highMark(persistenceId, session.highMark, last);
    return { persistenceId, writeId, first, last, items, numbers, sizes, mark, alsoWrite };
  });
}

/** An item of a write, and its largest event. */
export interface WriteItem {
  readonly item: Item;
  readonly number: number;
  readonly size: number;
  readonly row: EventRow;
}

/** The items of consecutive rows with one write id. */
export function itemsOf(
  context: JournalContext,
  rows: readonly EventRow[],
  format: RowFormat | ((row: EventRow) => RowFormat),
): WriteItem[] {
  const { layout } = context;
  if (layout.packed === undefined)
    return rows.map((row) => {
      const item = writeRow(context, row, typeof format === "function" ? format(row) : format);
      return { item, number: row.sequenceNr, size: itemSize(item), row };
    });
  for (const row of rows) checkRow(row);
  const [{ persistenceId, writeId = "", writerUuid, timestamp = 0 }] = rows as readonly [EventRow];
  const limit = Math.min(context.maxItemSize, maxItemBytes - stagedBytes);
  return packRows(rows, { writeId, writerUuid, time: timestamp }, limit, (item, number) =>
    Object.assign(item, layout.eventKey(persistenceId, number)),
  ).map(({ item, first, size, rows: packed }) => ({ item, number: first, size, row: largest(packed) }));
}

function largest(rows: readonly EventRow[]): EventRow {
  return rows.reduce((one, two) => (two.payload.bytes.length > one.payload.bytes.length ? two : one));
}

/** The part of a prepared write that consists of its items. */
export function sendable(items: readonly WriteItem[]): Pick<PreparedWrite, "items" | "numbers" | "sizes"> {
  const all: { items: Item[]; numbers: number[]; sizes: number[] } = { items: [], numbers: [], sizes: [] };
  for (const { item, number, size } of items) {
    all.items.push(item);
    all.numbers.push(number);
    all.sizes.push(size);
  }
  return all;
}

/** The place of an event in its write. */
interface WritePosition {
  readonly writeId: string;
  readonly now: number;
  readonly first: number;
  readonly index: number;
  readonly of: number;
}

function rowOf(
  context: JournalContext,
  session: WriterSession,
  event: NewEvent,
  place: WritePosition,
): MaybePromise<EventRow> {
  const { codecs } = context;
  const { persistenceId } = session;
  const { payload: content, metadata, serializerId, serializerManifest: manifest } = event;
  const sequenceNr = place.first + place.index;
  const payload = codecs.encode(
    content,
    { serializerId, manifest },
    { part: "event", persistenceId, sequenceNr, content },
  );
  if (metadata === undefined && !(payload instanceof Promise))
    return encodedRow(context, session, event, place, payload, undefined);
  const encodeMetadata = () =>
    metadata === undefined
      ? undefined
      : codecs.encode(metadata, {}, { part: "metadata", persistenceId, sequenceNr, content });
  // If it throws while the payload is being encoded, the failure of the payload must be handled too.
  const beside = payload instanceof Promise ? attempt(encodeMetadata) : encodeMetadata();
  if (payload instanceof Promise || beside instanceof Promise)
    return Promise.all([payload, beside]).then(([one, other]) =>
      encodedRow(context, session, event, place, one, other),
    );
  return encodedRow(context, session, event, place, payload, beside);
}

function encodedRow(
  context: JournalContext,
  { persistenceId, writerUuid, aboveHole }: WriterSession,
  event: NewEvent,
  place: WritePosition,
  payload: EncodedPayload,
  metadata: EncodedPayload | undefined,
): EventRow {
  checkAkkaReads(context.akka, payload);
  const { expiresAt } = event;
  if (expiresAt !== undefined && isShared(context)) throw expiryShared();
  // Optional members are always set: every appended event passes through here, and objects of one shape are faster.
  return {
    kind: "event",
    persistenceId,
    sequenceNr: place.first + place.index,
    payload,
    manifest: event.manifest ?? "",
    writerUuid,
    timestamp: event.timestamp ?? place.now,
    tags: event.tags ?? [],
    metadata,
    sender: event.sender,
    expiresAt,
    // A single event has no place in a write: the original does not deliver index 0 of 0.
    batch: place.of > 1 ? { index: place.index, lastIndex: place.of - 1 } : undefined,
    writeId: place.writeId,
    staged: false,
    aboveHole: aboveHole && place.index === 0 ? true : undefined,
  };
}

function expiryShared(): JournalError<"JOURNAL_EVENT_INVALID"> {
  const reason = "is not possible in a table that Akka shares: Akka would return the event";
  return new JournalError("JOURNAL_EVENT_INVALID", `event: expiresAt ${reason}`, {
    field: "expiresAt",
    reason,
  });
}

/** A staged row has one more attribute. */
export const stagedBytes = 8;

/** Rejects what the original would reject, and what DynamoDB cannot store with our attributes. */
function checkSize(
  { journalName, format, maxItemSize }: JournalContext,
  row: EventRow,
  itemBytes: number,
): void {
  const actual = itemBytes + stagedBytes;
  // An item is never smaller than the original counts it.
  if (actual <= maxItemSize && actual <= maxItemBytes) return;
  const refusal = originalSizeError(row, journalName, format, maxItemSize);
  if (refusal !== undefined) throw refusal;
  if (actual <= maxItemBytes) return;
  throw new JournalError(
    "JOURNAL_EVENT_TOO_LARGE",
    `an item of ${actual} bytes, with tags and metadata, is more than the ${maxItemBytes} that DynamoDB stores (make the event smaller, compress or split it)`,
    { actual, maximum: maxItemBytes },
  );
}
