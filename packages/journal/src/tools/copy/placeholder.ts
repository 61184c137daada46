import { createHash, type Hash } from "node:crypto";
import { akkaSerializers } from "../../codecs/serializer-ids.ts";
import { checksum } from "../../rows/checksum.ts";
import { type EventRow, firstOfBatch, isRemoved } from "../../rows/event-row.ts";
import type { RowFormat } from "../../rows/row-format.ts";

/**
 * A row for a number that has no event in the source: one that the original lost, or that replays leave out. It is a
 * softly deleted event without data: readers pass over it, those of Akka too, and the target has no gap.
 */
export function placeholder(persistenceId: string, sequenceNr: number): EventRow {
  return {
    kind: "event",
    persistenceId,
    sequenceNr,
    payload: { serializerId: akkaSerializers.bytes, manifest: "", bytes: new Uint8Array() },
    manifest: "",
    writerUuid: "",
    tags: [],
    staged: false,
    deleted: true,
  };
}

export function isPlaceholder({ deleted, payload, writerUuid }: EventRow): boolean {
  const { serializerId, bytes } = payload;
  return (
    deleted === true && writerUuid === "" && serializerId === akkaSerializers.bytes && bytes.length === 0
  );
}

/** The format of a row that is copied: that of the plugin since 1.1.2 has no place for a soft deletion. */
export function formatFor(row: EventRow, format: RowFormat): RowFormat {
  return row.deleted === true && format === "event" ? "pay" : format;
}

/** An event as one string: sequence number, payload, writer, time, tags. The same in every layout and format. */
function rowText(row: EventRow): string {
  const { sequenceNr, writerUuid, timestamp = 0, tags, deleted = false } = row;
  const { expiresAt = 0 } = row;
  const fields = [sequenceNr, checksum(row), writerUuid, timestamp, [...tags].sort(), deleted];
  return JSON.stringify(expiresAt === 0 ? fields : [...fields, expiresAt]);
}

/** Whether two rows are one event. Of one that has expired, the payload may have been removed on one side. */
export function isSameEvent(one: EventRow, other: EventRow): boolean {
  if (rowText(one) === rowText(other)) return true;
  if (one.expiresAt === undefined || isRemoved(one) === isRemoved(other)) return false;
  const { payload, metadata } = one;
  return rowText(one) === rowText({ ...other, payload, metadata });
}

/** Counts and hashes a run of events, without placeholders. */
export class RowDigest {
  readonly #hash: Hash = createHash("sha256");
  count = 0;

  add(row: EventRow): void {
    if (isPlaceholder(row)) return;
    this.count++;
    this.#hash.update(rowText(row));
  }

  /** Ends the run. */
  digest(): string {
    return this.#hash.digest("base64url");
  }
}

/** Maximum number and size of the rows in one transaction. Larger atomic writes are sent alone. */
const maxRows = 50;
const maxBytes = 1024 * 1024;

/** Groups consecutive writes, so that one request writes many events. */
export class RowGroup {
  #rows: EventRow[] = [];
  #bytes = 0;

  /** Adds a write. Returns the pending ones if they must be written first because the new one does not fit. */
  add(write: readonly EventRow[]): readonly EventRow[] {
    const bytes = write.reduce((total, row) => total + row.payload.bytes.length + 512, 0);
    const full = this.#rows.length + write.length > maxRows || this.#bytes + bytes > maxBytes;
    const ready = full ? this.take() : [];
    this.#rows.push(...whole(write));
    this.#bytes += bytes;
    return ready;
  }

  /** Returns the pending writes, and starts again. */
  take(): readonly EventRow[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    return rows;
  }
}

/** What is left of an atomic write whose beginning was deleted becomes a separate one: then the original reads it too. */
function whole(write: readonly EventRow[]): readonly EventRow[] {
  const [first] = write;
  if (first === undefined || firstOfBatch(first) === first.sequenceNr) return write;
  return write.map(({ batch: _cut, ...row }, index) =>
    write.length === 1 ? row : { ...row, batch: { index, lastIndex: write.length - 1 } },
  );
}
