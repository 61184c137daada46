import type { ReplayFilterMode } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { oldWriter } from "../protocol/write-errors.ts";
import type { EventRow } from "../rows/event-row.ts";
import type { GivenRows } from "./batch-assembler.ts";
import type { FilterMemory } from "./earlier-rows.ts";
import { maxOldWriters, type Written } from "./earlier-writers.ts";

/**
 * Drops events of the original by superseded writers, as Akka's replay filter does: events of a writer that writes
 * again after another one has written. Our rows are fenced when they are written and always pass. They supersede the
 * writer before them, but their writers are not remembered, so a journal with one writer per event stays within
 * the bound.
 */
export function replayFilter<Row extends Written>(
  mode: ReplayFilterMode,
  onOld: (row: Row) => void,
): (row: Row) => boolean {
  const old = new Set<string>();
  let current: string | undefined;
  const supersede = () => {
    if (current !== undefined) old.add(current);
    current = undefined;
    if (old.size > maxOldWriters) old.delete(old.values().next().value as string);
  };
  return (row) => {
    if (mode === "off" || row.writerUuid === "" || row.writerUuid === current) return true;
    if (row.writeId !== undefined) {
      supersede();
      return true;
    }
    if (!old.has(row.writerUuid)) {
      supersede();
      current = row.writerUuid;
      return true;
    }
    onOld(row);
    return mode === "warn";
  };
}

export interface ReplaySettings {
  readonly replayFilter: ReplayFilterMode;
  /** Whether `max` counts returned events, or all events that are read, as in the original. */
  readonly countLimit: "after-filter" | "before-filter";
}

/** Returns whole writes while they fit into `max`, and ends before one that does not. */
export class ReplayLimit implements FilterMemory {
  readonly mode: ReplayFilterMode;
  knowsEarlier = false;
  readonly #passes: (row: Written) => boolean;
  /** The event that the filter judges; undefined while it learns from earlier ones. */
  #judged: EventRow | undefined;
  readonly #countsGiven: boolean;
  #left: number;

  constructor({ logger }: JournalContext, settings: ReplaySettings, max: number = Number.POSITIVE_INFINITY) {
    this.#left = max;
    this.#countsGiven = settings.countLimit === "after-filter";
    this.mode = settings.replayFilter;
    this.#passes = replayFilter<Written>(settings.replayFilter, () => {
      if (this.#judged === undefined) return;
      if (settings.replayFilter === "fail") throw oldWriter(this.#judged);
      const { persistenceId, sequenceNr } = this.#judged;
      logger.warn("an event of an earlier writer follows a later one's", { persistenceId, sequenceNr });
    });
  }

  /** Whether the limit is reached. */
  get reached(): boolean {
    return this.#left <= 0;
  }

  learn(written: Written): void {
    this.#judged = undefined;
    if (written.deleted !== true) this.#passes(written);
  }

  /** Returns the events of a page that pass. */
  *take(page: readonly GivenRows[]): Generator<readonly EventRow[], void, undefined> {
    for (const { rows, whole } of page) {
      if (this.reached) return;
      const kept = rows.filter((row) => this.#isGiven(row));
      const counted = this.#countsGiven ? kept : rows;
      if (whole === undefined && counted.length >= this.#left) {
        const last = counted[this.#left - 1] as EventRow;
        this.#left = 0;
        yield kept.slice(0, kept.findLastIndex(({ sequenceNr }) => sequenceNr <= last.sequenceNr) + 1);
        return;
      }
      if (whole !== undefined && whole - (rows.length - counted.length) > this.#left) {
        this.#left = 0;
        return;
      }
      this.#left -= counted.length;
      yield kept;
    }
  }
  /** Softly deleted events, which the 0.x plugin has, exist but are not returned. */
  #isGiven(row: EventRow): boolean {
    this.#judged = row;
    return row.deleted !== true && this.#passes(row);
  }
}
