import type { Clock } from "@tablekeep/core";
import type { Stage } from "../protocol/writer-item.ts";

/** The state of a writer. Changed only by the appends of that writer, one after the other. */
export interface WriterSession {
  readonly persistenceId: string;
  readonly writerUuid: string;
  /** The next sequence number to assign. */
  next: number;
  lowest: number;
  /** The highest high mark of the id that is known to exist. */
  highMark: number;
  epoch: number;
  /** When marks and rows were last known to be as this session says. */
  viewedAt: ViewTime;
  /** Whether the number before the next one has a high mark of the original and no row. */
  aboveHole: boolean;
  /** Whether the id has its row in the registry. */
  registered: boolean;
  /** Set once a write ended as conflict or unknown: this writer may not continue. */
  ended: boolean;
  /** A batch of this writer that failed and could not be cleared away yet; `inDoubt` if its record may yet come. */
  abandoned: (Stage & { readonly inDoubt: boolean }) | undefined;
}

/** A moment by both clocks: the monotonic one may stand still while a machine is suspended, the other one may jump. */
export interface ViewTime {
  readonly monotonic: number;
  readonly now: number;
}

/** Tombstones live for 24 hours; a view older than half of that is read again before the next append. */
const viewLifeMs = 12 * 3600 * 1000;

/** This moment. */
export function viewTime(clock: Clock): ViewTime {
  return { monotonic: clock.monotonic(), now: clock.now() };
}

/** Whether a view is so old, by either clock, that numbers may have been written, deleted and forgotten since. */
export function isOutdated(viewedAt: ViewTime, clock: Clock): boolean {
  return clock.monotonic() - viewedAt.monotonic >= viewLifeMs || clock.now() - viewedAt.now >= viewLifeMs;
}
