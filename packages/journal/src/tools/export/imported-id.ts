import { type EventRow, firstOfBatch, lastOfBatch } from "../../rows/event-row.ts";
import { exportInvalid } from "../copy/copy-refusals.ts";
import { importedRow } from "./imported-row.ts";
import type { LineReader } from "./line-reader.ts";

/** The part of an export that tells of one id. */
export class ImportedId {
  readonly #lines: LineReader;
  readonly #persistenceId: string;
  readonly #lowest: number;
  /** Whether the line that ends the id has come. */
  ended = false;

  constructor(lines: LineReader, persistenceId: string, lowest: number) {
    this.#lines = lines;
    this.#persistenceId = persistenceId;
    this.#lowest = lowest;
  }

  /** Its atomic writes, each whole. An atomic write that the file cuts off is left to the next run. */
  async *writes(): AsyncGenerator<readonly EventRow[], void, undefined> {
    let write: EventRow[] = [];
    let before = 0;
    for (;;) {
      const next = await this.#lines.peek();
      if (next === undefined || "id" in next.line || "complete" in next.line) return;
      await this.#lines.next();
      if ("end" in next.line) {
        if (next.line.end !== this.#persistenceId || write.length > 0)
          throw exportInvalid(next.number, "ends an id, or an atomic write, that is not the one before it");
        this.ended = true;
        return;
      }
      if (!("sequenceNr" in next.line)) throw exportInvalid(next.number, "is nothing that an export has");
      const row = importedRow(next.line, next.number);
      if (row.persistenceId !== this.#persistenceId || row.sequenceNr <= before)
        throw exportInvalid(next.number, "is out of order");
      if (write.length > 0 && row.sequenceNr !== before + 1)
        throw exportInvalid(next.number, "breaks off the atomic write before it");
      if (write.length === 0 && firstOfBatch(row) < row.sequenceNr && row.sequenceNr > this.#lowest)
        throw exportInvalid(next.number, "is not the beginning of its atomic write");
      before = row.sequenceNr;
      write.push(row);
      if (lastOfBatch(row) > row.sequenceNr) continue;
      yield write;
      write = [];
    }
  }
}
