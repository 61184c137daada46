import { type EventRow, firstOfBatch, type JournalRow, lastOfBatch } from "../../rows/event-row.ts";
import { type Finding, finding, numbersText } from "./finding.ts";

interface Range {
  from: number;
  to: number;
  count: number;
}

/** What deletions and staged writes left of one id, told as one finding each, however many rows it is. */
export class LeftOvers {
  readonly #persistenceId: string;
  readonly #nowSeconds: number;
  readonly #stages = new Map<string, Range & { readonly first: number; readonly last: number }>();
  #rows: Range | undefined;
  #tombstones: Range | undefined;

  constructor(persistenceId: string, nowSeconds: number) {
    this.#persistenceId = persistenceId;
    this.#nowSeconds = nowSeconds;
  }

  /** A row below the low mark. */
  below(row: JournalRow, sequenceNr: number): void {
    if (row.kind === "tombstone") {
      if ((row.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#nowSeconds)
        this.#tombstones = grown(this.#tombstones, sequenceNr);
    } else this.#rows = grown(this.#rows, sequenceNr);
  }

  /** A row of a batch that was never committed, nor is recorded. */
  dead(row: EventRow): void {
    const { writeId = "", sequenceNr } = row;
    const before = this.#stages.get(writeId);
    const place = { first: firstOfBatch(row), last: lastOfBatch(row) };
    this.#stages.set(writeId, { ...place, ...grown(before, sequenceNr) });
  }

  findings(): Finding[] {
    return [...this.#stageFindings(), ...this.#deletedFindings()];
  }

  #stageFindings(): Finding[] {
    return [...this.#stages].map(([writeId, { first, last, from, to, count }]) => {
      const message = `${count} rows of a batch of ${numbersText(first, last)} that was never committed`;
      const repair = { action: "remove-staged-rows", writeId, first, last } as const;
      return finding("staged-rows-left", this.#persistenceId, message, { from, to, repair });
    });
  }

  #deletedFindings(): Finding[] {
    const findings: Finding[] = [];
    if (this.#rows !== undefined) {
      const { from, to, count } = this.#rows;
      const message = `${count} events from ${from} to ${to} stand below the low mark: a deletion was cut short`;
      const repair = { action: "drop-deleted", rowsFrom: from } as const;
      findings.push(finding("deleted-rows-left", this.#persistenceId, message, { from, to, repair }));
    }
    if (this.#tombstones !== undefined) {
      const { from, to, count } = this.#tombstones;
      const message = `${count} tombstones from ${from} to ${to} are past their time: is expiry by ttl switched on?`;
      const repair = { action: "drop-deleted", tombsFrom: from } as const;
      findings.push(finding("tombstones-left", this.#persistenceId, message, { from, to, repair }));
    }
    return findings;
  }
}

function grown(range: Range | undefined, at: number): Range {
  if (range === undefined) return { from: at, to: at, count: 1 };
  return { from: Math.min(range.from, at), to: Math.max(range.to, at), count: range.count + 1 };
}
