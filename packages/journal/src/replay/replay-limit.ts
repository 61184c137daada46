import type { ReplayFilterMode } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { oldWriter } from "../protocol/write-errors.ts";
import type { EventRow } from "../rows/event-row.ts";
import type { GivenRows } from "./batch-assembler.ts";
import type { FilterMemory } from "./earlier-rows.ts";

/** How many superseded writers are remembered: Akka's default for `max-old-writers`. */
const maxOldWriters = 10;

/**
 * Drops events of the original by superseded writers, as Akka's replay filter does: events of a writer that writes
 * again after another one has written. Our rows are fenced when they are written and always pass. They supersede the
 * writer before them, but their writers are not remembered, so a journal with one writer per event stays within
 * the bound.
 */
export function replayFilter(
  mode: ReplayFilterMode,
  onOld: (row: EventRow) => void,
): (row: EventRow) => boolean {
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
  readonly #isGiven: (row: EventRow) => boolean;
  /** Whether the events that the filter sees are not those that are returned. */
  #isLearning = false;
  readonly #countsGiven: boolean;
  #left: number;

  constructor({ logger }: JournalContext, settings: ReplaySettings, max: number = Number.POSITIVE_INFINITY) {
    this.#left = max;
    this.#countsGiven = settings.countLimit === "after-filter";
    this.mode = settings.replayFilter;
    const passes = replayFilter(settings.replayFilter, (row) => {
      if (this.#isLearning) return;
      if (settings.replayFilter === "fail") throw oldWriter(row);
      const { persistenceId, sequenceNr } = row;
      logger.warn("an event of an earlier writer follows a later one's", { persistenceId, sequenceNr });
    });
    // Softly deleted events, which the 0.x plugin has, exist but are not returned.
    this.#isGiven = (row) => row.deleted !== true && passes(row);
  }

  /** Whether the limit is reached. */
  get reached(): boolean {
    return this.#left <= 0;
  }

  learn(row: EventRow): void {
    this.#isLearning = true;
    this.#isGiven(row);
    this.#isLearning = false;
  }

  /** Returns the events of a page that pass. */
  *take(page: readonly GivenRows[]): Generator<readonly EventRow[], void, undefined> {
    for (const { rows, whole } of page) {
      if (this.reached) return;
      const kept = rows.filter(this.#isGiven);
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
}
