import { type EventRow, firstOfBatch, lastOfBatch } from "../../rows/event-row.ts";

/** How many rows of one atomic write were met. */
export class BatchCount {
  /** The first that was met. */
  readonly row: EventRow;
  /** The first number of it that is not deleted. */
  readonly from: number;
  readonly to: number;
  count = 0;

  constructor(row: EventRow, low: number) {
    this.row = row;
    this.from = Math.max(low, firstOfBatch(row), 1);
    this.to = lastOfBatch(row);
  }

  get ours(): boolean {
    return this.row.writeId !== undefined;
  }

  get missing(): number {
    return this.to - this.from + 1 - this.count;
  }

  get isWhole(): boolean {
    return this.missing === 0;
  }

  /** Whether a row is of this write. */
  has(row: EventRow): boolean {
    return (
      row.batch !== undefined &&
      row.writeId === this.row.writeId &&
      row.writerUuid === this.row.writerUuid &&
      firstOfBatch(row) === firstOfBatch(this.row) &&
      lastOfBatch(row) === this.to
    );
  }
}
