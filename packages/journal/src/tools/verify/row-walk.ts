import type { Item } from "@tablekeep/core";
import { pauseBeforeRetry } from "../../context/calls.ts";
import { itemSpan } from "../../protocol/item-rows.ts";
import { type IsLive, liveness } from "../../protocol/liveness.ts";
import { type Marks, readMarks } from "../../protocol/marks.ts";
import { readItems } from "../../protocol/read-rows.ts";
import { replayFilter } from "../../replay/replay-limit.ts";
import {
  type EventRow,
  firstOfBatch,
  isSameWrite,
  type JournalRow,
  lastOfBatch,
  type TombstoneRow,
} from "../../rows/event-row.ts";
import { tombstoneNames } from "../../rows/tombstone.ts";
import type { Tool } from "../open-tool.ts";
import { type Finding, finding, numbersText } from "./finding.ts";
import { type ReadItem, readItemOf } from "./read-row-of.ts";

/** The number of rows of one atomic write that were read. */
class BatchCount {
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
    return isSameWrite(row, this.row);
  }
}

interface Range {
  from: number;
  to: number;
  count: number;
}

/** What deletions and staged writes left of one id, reported as one finding each, however many rows there are. */
class LeftOvers {
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

  /** `gaps` are sequence numbers between events where an event of ours should be. */
  findings(gaps: readonly Pick<Range, "from" | "to">[]): Finding[] {
    return [...this.#stageFindings(gaps), ...this.#deletedFindings()];
  }

  #stageFindings(gaps: readonly Pick<Range, "from" | "to">[]): Finding[] {
    return [...this.#stages].map(([writeId, { first, last, from, to, count }]) => {
      if (gaps.some((gap) => gap.from <= to && gap.to >= from)) {
        // A later event shows that it was committed: its rows are all that is left of it.
        const lost = `${count} rows of a batch of ${numbersText(first, last)} have no commit record, and events follow them`;
        return finding("event-missing", this.#persistenceId, lost, { from, to });
      }
      const message = `${count} rows of a batch of ${numbersText(first, last)} that was never committed`;
      const repair = { action: "remove-staged-rows", writeId, first, last } as const;
      return finding("staged-rows-left", this.#persistenceId, message, { from, to, repair });
    });
  }

  #deletedFindings(): Finding[] {
    const findings: Finding[] = [];
    if (this.#rows !== undefined) {
      const { from, to, count } = this.#rows;
      const message = `${count} events from ${from} to ${to} are below the low mark: a deletion was interrupted`;
      const repair = { action: "drop-deleted", rowsFrom: from } as const;
      findings.push(finding("deleted-rows-left", this.#persistenceId, message, { from, to, repair }));
    }
    if (this.#tombstones !== undefined) {
      const { from, to, count } = this.#tombstones;
      const message = `${count} tombstones from ${from} to ${to} have expired: check that time to live is enabled for the attribute ttl`;
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

/** How a walk reads rows. */
export interface WalkOptions {
  readonly decode: boolean;
  readonly isLive: IsLive;
}

/** Checks the items of one id in order. Holds one row of the current batch. */
export class RowWalk {
  readonly #tool: Tool;
  readonly #persistenceId: string;
  readonly #marks: Marks;
  readonly #options: WalkOptions;
  readonly #left: LeftOvers;
  readonly #isOld: (row: EventRow) => boolean;
  readonly #gaps: Pick<Range, "from" | "to">[] = [];
  /** The next expected sequence number. */
  #expected: number;
  #batch: BatchCount | undefined;
  /** The last live row was ours: numbers missing after it are damage. */
  #ours = false;
  /** A live row has come. */
  #begun = false;
  /** The highest sequence number that a row, one of our batches or a mark mentions. */
  highest: number;
  /** The last number that holds an event: not a part of a batch. */
  lastEvent = 0;

  constructor(tool: Tool, persistenceId: string, marks: Marks, options: WalkOptions) {
    this.#tool = tool;
    this.#persistenceId = persistenceId;
    this.#marks = marks;
    this.#options = options;
    this.#left = new LeftOvers(persistenceId, Math.floor(tool.context.clock.now() / 1000));
    const passes = replayFilter("fail", () => undefined);
    this.#isOld = (row) => !passes(row);
    this.#expected = Math.max(1, marks.low);
    this.highest = Math.max(marks.high, marks.low - 1);
  }

  /** The next item. */
  async take(item: Item): Promise<Finding[]> {
    const { rows, findings } = await readItemOf(this.#tool, this.#persistenceId, item, this.#options.decode);
    const all = [...findings];
    const { last } = itemSpan(this.#tool.context, this.#persistenceId, item);
    // An unreadable item is reported, and not also as a gap. A stub holds nothing.
    if (findings.length > 0 && last >= this.#marks.low) this.#expected = Math.max(this.#expected, last + 1);
    for (const { row, findings: ofRow } of rows) {
      all.push(...ofRow);
      if (row.sequenceNr < this.#marks.low) this.#left.below(row, row.sequenceNr);
      else if (row.kind === "tombstone") all.push(...(await this.#tombstone(row)));
      else all.push(...(await this.#event(row, row.sequenceNr)));
    }
    return all;
  }

  /** There are no more items. */
  async end(): Promise<Finding[]> {
    const findings = await this.#closeBatch(undefined);
    if (this.#expected <= this.highest) {
      const isMarked = this.highest === this.#marks.high;
      const isDamage = isMarked ? this.#marks.isHighOurs : this.#ours;
      findings.push(...(await this.#missing(this.#expected, this.highest, isDamage)));
    }
    return [...findings, ...this.#left.findings(this.#gaps)];
  }

  async #event(row: EventRow, sequenceNr: number): Promise<Finding[]> {
    if (!(await this.#options.isLive(row))) {
      // The rows of a recorded stage are reported with it.
      if (row.writeId !== this.#marks.writer.stage?.writeId) this.#left.dead(row);
      return [];
    }
    const ours = row.writeId !== undefined;
    const findings = this.#batch?.has(row) ? [] : await this.#closeBatch(row);
    const gapTo = Math.min(sequenceNr, Math.max(firstOfBatch(row), this.#expected)) - 1;
    if (this.#batch === undefined && gapTo >= this.#expected && !this.#isDeletedPrefix(ours)) {
      findings.push(...(await this.#missing(this.#expected, gapTo, ours && row.aboveHole !== true)));
    }
    this.#begun = true;
    this.#expected = sequenceNr + 1;
    this.#ours = ours;
    // The original continues after the last row of a batch that failed.
    this.highest = Math.max(this.highest, ours ? lastOfBatch(row) : sequenceNr);
    if (row.batch === undefined) {
      this.lastEvent = sequenceNr;
      return [...findings, ...this.#oldWriter(row, sequenceNr)];
    }
    this.#batch ??= new BatchCount(row, this.#marks.low);
    this.#batch.count++;
    return findings;
  }

  /** The plugin 0.x leaves no low mark where it deletes permanently. */
  #isDeletedPrefix(ours: boolean): boolean {
    return !this.#begun && !ours && this.#tool.context.layout.name === "scattered";
  }

  /** Ends the batch that rows were counted of: a row of another write comes next, or none. */
  async #closeBatch(next: EventRow | undefined): Promise<Finding[]> {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch === undefined) return [];
    const { from, to, ours } = batch;
    if (batch.isWhole) {
      this.lastEvent = to;
      return this.#oldWriter(batch.row, to);
    }
    // What the original did not write of its batch is not a hole beside it. Our rows begin right above its last one.
    if (ours || next?.writeId === undefined)
      this.#expected = Math.max(this.#expected, Math.min(to + 1, next?.sequenceNr ?? to + 1));
    if (ours && (await this.#healed(from, to, batch.missing, (row) => batch.has(row)))) return [];
    const kind = ours ? "half-batch" : "original-half-batch";
    const message = `an atomic write of ${numbersText(from, to)} has only ${batch.count} rows`;
    return [finding(kind, this.#persistenceId, message, { from, to })];
  }

  #oldWriter(row: EventRow, to: number): Finding[] {
    if (!this.#isOld(row)) return [];
    const message = `${numbersText(row.sequenceNr, to)}: written by ${row.writerUuid} after it had been superseded: replays skip it`;
    return [finding("old-writer", this.#persistenceId, message, { from: row.sequenceNr, to })];
  }

  async #tombstone({ sequenceNr, last = sequenceNr, into }: TombstoneRow): Promise<Finding[]> {
    // A compaction has moved its events into an item that came before.
    if (into !== undefined && last < this.#expected) return [];
    // Or it has done so since that item was read.
    const moved = into && (await this.#moved(Math.max(sequenceNr, this.#expected), last));
    if (moved) return moved;
    this.#expected = Math.max(this.#expected, last + 1);
    this.highest = Math.max(this.highest, last);
    if (last < (await this.#lowNow())) return [];
    const message = `number ${sequenceNr} holds a tombstone, but the low mark is ${this.#marks.low}`;
    const place = { from: sequenceNr, to: last };
    return [finding("event-missing", this.#persistenceId, message, place)];
  }

  /** Checks the events of a range in the item that they were moved into; undefined if they are not there. */
  async #moved(from: number, to: number): Promise<Finding[] | undefined> {
    const { context, call } = this.#tool;
    for (let retry = 0; retry <= maxRereads; retry++) {
      const rows: ReadItem["rows"][number][] = [];
      for await (const page of readItems(context, this.#persistenceId, { from, to }, call)) {
        for (const item of page) {
          if (item[tombstoneNames.mark]?.BOOL === true) continue;
          const read = await readItemOf(this.#tool, this.#persistenceId, item, this.#options.decode);
          rows.push(...read.rows.filter(({ row }) => row.sequenceNr >= from && row.sequenceNr <= to));
        }
      }
      if (rows.length === to - from + 1) {
        const findings: Finding[] = [];
        for (const { row, findings: ofRow } of rows)
          if (row.kind === "event") findings.push(...ofRow, ...(await this.#event(row, row.sequenceNr)));
        return findings;
      }
      if (from < (await this.#lowNow())) return undefined;
      await pauseBeforeRetry(context, retry, call);
    }
    return undefined;
  }

  async #missing(from: number, to: number, ours: boolean): Promise<Finding[]> {
    if (await this.#healed(from, to, to - from + 1)) return [];
    if (ours) this.#gaps.push({ from, to });
    const message = `no event at ${numbersText(from, to)}`;
    return [finding(ours ? "gap" : "hole", this.#persistenceId, message, { from, to })];
  }

  /** Whether what was missing is there when it is searched for again, or was deleted since the marks were read. */
  async #healed(
    from: number,
    to: number,
    missing: number,
    isMissing: (row: EventRow) => boolean = () => true,
  ): Promise<boolean> {
    if (to < (await this.#lowNow())) return true;
    if (missing > maxSearched) return false;
    const { context, call } = this.#tool;
    const isLive = liveness(context, this.#persistenceId, call);
    const found = new Set<number>();
    for await (const page of readItems(context, this.#persistenceId, { from, to }, call)) {
      for (const item of page) {
        const { rows } = await readItemOf(this.#tool, this.#persistenceId, item, false);
        for (const { row } of rows) {
          const last = row.kind === "tombstone" ? (row.last ?? row.sequenceNr) : row.sequenceNr;
          if (!(await isLive(row)) || (row.kind === "event" && !isMissing(row))) continue;
          for (let number = row.sequenceNr; number <= Math.min(last, to); number++) found.add(number);
        }
      }
    }
    for (let number = from; number <= to; number++) if (!found.has(number)) return false;
    return true;
  }

  async #lowNow(): Promise<number> {
    return (await readMarks(this.#tool.context, this.#persistenceId, this.#tool.call)).low;
  }
}

/** How often moved events are read again: the items of a transaction may become visible one after the other. */
const maxRereads = 3;

/** More than this do not become visible late. */
const maxSearched = 1000;
