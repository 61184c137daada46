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
  /** When this session's view of marks and rows was last known to be correct. */
  viewedAt: ViewTime;
  /** Whether the number before the next one has a high mark of the original and no row. */
  aboveHole: boolean;
  /** Whether the id has its row in the registry. */
  registered: boolean;
  /** Set once a write ended as conflict or unknown: this writer may not continue. */
  ended: boolean;
  /** A failed batch of this writer that could not be cleared yet; `inDoubt` if its stage may still be recorded. */
  abandoned: (Stage & { readonly inDoubt: boolean }) | undefined;
}

/** A time on both clocks: the monotonic one may stop while a machine is suspended, and the other one may jump. */
export interface ViewTime {
  readonly monotonic: number;
  readonly now: number;
}

/** Tombstones live for 24 hours; a view older than half of that is read again before the next append. */
const viewLifeMs = 12 * 3600 * 1000;

/** Returns the current time. */
export function viewTime(clock: Clock): ViewTime {
  return { monotonic: clock.monotonic(), now: clock.now() };
}

/**
 * Returns whether a view is so old, by either clock, that sequence numbers may have been written, deleted and reused
 * since.
 */
export function isOutdated(viewedAt: ViewTime, clock: Clock): boolean {
  return clock.monotonic() - viewedAt.monotonic >= viewLifeMs || clock.now() - viewedAt.now >= viewLifeMs;
}
