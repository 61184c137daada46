import { itemSize, maxItemBytes, newWriteId } from "@tablekeep/client";
import type { Item, TransactWriteItem } from "@tablekeep/core";
import { checkAkkaReads } from "../codecs/akka-line.ts";
import type { EncodedPayload } from "../codecs/codec.ts";
import type { AtomicWrite, NewEvent } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { MarkWrite } from "../layouts/layout.ts";
import { writeRow } from "../protocol/row-item.ts";
import type { EventRow } from "../rows/event-row.ts";
import { originalSizeError } from "../rows/original-item-size.ts";
import { packRows } from "../rows/packed-split.ts";
import { checkRow, type RowFormat } from "../rows/row-format.ts";
import type { WriterSession } from "./writer-session.ts";

/** One atomic write, encoded and checked, with its numbers: what is left is to send it. */
export interface PreparedWrite {
  readonly persistenceId: string;
  /** On all its rows; "my own earlier success" means the same write id, never just the same writer and number. */
  readonly writeId: string;
  readonly first: number;
  readonly last: number;
  /** Its items, in order: one for each event, or as many as it needs in the packed layout. */
  readonly items: readonly Item[];
  /** The number of the first event of each item: its key. */
  readonly numbers: readonly number[];
  /** The size of each item as DynamoDB counts it, in bytes. */
  readonly sizes: readonly number[];
  /** The high mark that goes with it; undefined if the id's marks say as much already. */
  readonly mark: MarkWrite | undefined;
  readonly alsoWrite: readonly TransactWriteItem[];
}

/** Encodes an atomic write and returns it its numbers. Throws if one of its events cannot be stored: then none is. */
export function prepareWrite(
  context: JournalContext,
  session: WriterSession,
  write: AtomicWrite,
  alsoWrite: readonly TransactWriteItem[],
): PreparedWrite {
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
  const rows = events.map((event, index) =>
    rowOf(context, session, event, { writeId, now, first, index, of: events.length }),
  );
  const items = itemsOf(context, rows, context.format);
  for (const { row, size } of items) checkSize(context, row, size);
  return {
    ...sendable(items),
    persistenceId,
    writeId,
    first,
    last,
    mark: context.layout.highMark(persistenceId, session.highMark, last),
    alsoWrite,
  };
}

/** An item of a write, and its largest event. */
export interface WriteItem {
  readonly item: Item;
  readonly number: number;
  readonly size: number;
  readonly row: EventRow;
}

/** The items of rows that follow each other and have one write id. */
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

/** The part of a prepared write that its items make. */
export function sendable(items: readonly WriteItem[]): Pick<PreparedWrite, "items" | "numbers" | "sizes"> {
  return {
    items: items.map(({ item }) => item),
    numbers: items.map(({ number }) => number),
    sizes: items.map(({ size }) => size),
  };
}

function rowOf(
  { codecs, akka }: JournalContext,
  { persistenceId, writerUuid, aboveHole }: WriterSession,
  event: NewEvent,
  place: { writeId: string; now: number; first: number; index: number; of: number },
): EventRow {
  const { serializerId, serializerManifest: manifest } = event;
  const readable = (payload: EncodedPayload) => {
    checkAkkaReads(akka, payload);
    return payload;
  };
  return {
    kind: "event",
    persistenceId,
    sequenceNr: place.first + place.index,
    payload: readable(codecs.encode(event.payload, { serializerId, manifest })),
    manifest: event.manifest ?? "",
    writerUuid,
    timestamp: event.timestamp ?? place.now,
    tags: event.tags ?? [],
    metadata: event.metadata === undefined ? undefined : codecs.encode(event.metadata),
    ...(event.sender !== undefined && { sender: event.sender }),
    // An atomic write of one event carries no place: the original does not deliver index 0 of 0.
    batch: place.of > 1 ? { index: place.index, lastIndex: place.of - 1 } : undefined,
    writeId: place.writeId,
    staged: false,
    ...(aboveHole && place.index === 0 && { aboveHole }),
  };
}

/** A staged row carries one attribute more. */
export const stagedBytes = 8;

/** Refuses what the original would refuse, and what DynamoDB cannot store with our attributes. */
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
