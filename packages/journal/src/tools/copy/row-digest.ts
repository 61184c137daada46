import { createHash, type Hash } from "node:crypto";
import { checksum } from "../../rows/checksum.ts";
import type { EventRow } from "../../rows/event-row.ts";
import { isPlaceholder } from "./placeholder.ts";

/** What an event says, as one text: number, payload, writer, time, tags. The same in every layout and format. */
export function rowText(row: EventRow): string {
  const { sequenceNr, writerUuid, timestamp = 0, tags, deleted = false } = row;
  return JSON.stringify([sequenceNr, checksum(row), writerUuid, timestamp, [...tags].sort(), deleted]);
}

/** The count and the hash of a run of events. Placeholders are none. */
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
