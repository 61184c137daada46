import { JournalError } from "../errors/journal-error.ts";
import type { EventRow } from "./event-row.ts";
import { encodePayFormat } from "./message-format.ts";
import type { RowFormat } from "./row-format.ts";

/** The bytes that the original adds for the numbers of the key and the names of the attributes. */
const overhead = 26;

/**
 * The size of an event's item as the plugins 1.x count it, in bytes. It is not DynamoDB's: key parts are counted in
 * characters, names hardly at all. For rows of `pay` the message counts, for all others its parts.
 */
export function originalItemSize(row: EventRow, journalName: string, format: RowFormat): number {
  const key = row.persistenceId.length + journalName.length + overhead;
  if (format === "pay") return key + (encodePayFormat(row)["pay"]?.B?.length ?? 0);
  const { payload } = row;
  return (
    key +
    payload.bytes.length +
    String(payload.serializerId).length +
    Buffer.byteLength(payload.manifest) +
    Buffer.byteLength(row.persistenceId) +
    String(row.sequenceNr).length +
    Buffer.byteLength(row.writerUuid) +
    Buffer.byteLength(row.manifest)
  );
}

/** The error for an event that the original would reject too, in its words; undefined if it would not. */
export function originalSizeError(
  row: EventRow,
  journalName: string,
  format: RowFormat,
  maxItemSize: number,
): JournalError<"JOURNAL_EVENT_TOO_LARGE"> | undefined {
  const actual = originalItemSize(row, journalName, format);
  if (actual <= maxItemSize) return undefined;
  return new JournalError(
    "JOURNAL_EVENT_TOO_LARGE",
    `MaxItemSize exceeded: ${actual} > ${maxItemSize} (make the event smaller, compress or split it)`,
    { actual, maximum: maxItemSize },
  );
}
