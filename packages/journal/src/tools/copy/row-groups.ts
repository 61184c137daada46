import { type EventRow, firstOfBatch } from "../../rows/event-row.ts";

/** Rows that go into one transaction at most, and their bytes. Larger atomic writes go on their own. */
const maxRows = 50;
const maxBytes = 1024 * 1024;

/** Puts writes that follow each other together, so that one request writes many events. */
export class RowGroup {
  #rows: EventRow[] = [];
  #bytes = 0;

  /** Takes a write. Gives what must be written first, if it does not fit beside it. */
  add(write: readonly EventRow[]): readonly EventRow[] {
    const bytes = write.reduce((total, row) => total + row.payload.bytes.length + 512, 0);
    const full = this.#rows.length + write.length > maxRows || this.#bytes + bytes > maxBytes;
    const ready = full ? this.take() : [];
    this.#rows.push(...whole(write));
    this.#bytes += bytes;
    return ready;
  }

  /** Gives what is there, and begins anew. */
  take(): readonly EventRow[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    return rows;
  }
}

/** What is left of an atomic write whose beginning was deleted is one of its own: then the original reads it too. */
function whole(write: readonly EventRow[]): readonly EventRow[] {
  const [first] = write;
  if (first === undefined || firstOfBatch(first) === first.sequenceNr) return write;
  return write.map(({ batch: _cut, ...row }, index) =>
    write.length === 1 ? row : { ...row, batch: { index, lastIndex: write.length - 1 } },
  );
}
