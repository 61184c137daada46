import type { JournalEvent } from "@tablekeep/journal";

/** An event of a feed. */
export interface FeedEvent<Payload = unknown> extends JournalEvent<Payload> {
  /** Where to continue after this event: pass it to `read` as `from`. */
  readonly position: string;
  /** The slice of its id. */
  readonly slice: number;
  /** Its place in the slice, from 0. Offsets have no gaps, except where events have been deleted from the journal. */
  readonly offset: number;
  /** Whether it may follow a later event of its id, because the stream showed it later than the window allows, or a sweep found it. */
  readonly late: boolean;
}

/** An event of a feed that cannot be read: what is stored is corrupt. */
export interface UnreadableEvent
  extends Pick<FeedEvent, "persistenceId" | "sequenceNr" | "position" | "slice" | "offset" | "late"> {
  /** Why, with its code and what helps. */
  readonly error: unknown;
}

/** A place in a feed: a position, or a description of one. `last` is the place before the last so many events of each slice. */
export type FeedPlace = "start" | "end" | string | Date | { readonly last: number };

/** Options of reading a feed. */
export interface ReadFeedOptions {
  /** Where to begin: at the start, after a position, or at the first page written at or after a time. @default "start" */
  readonly from?: "start" | "end" | string | Date;
  /** Range of virtual slices, from 0 to 1,023: reads the slices of the feed that overlap it, and returns ids within it. @default all */
  readonly slices?: { readonly from: number; readonly to: number };
  /** Entity type: the part of the persistence id before the first `|`. @default all */
  readonly type?: string;
  /** Tag that events must have. @default all events */
  readonly tag?: string;
  /** Waits for new events instead of ending. @default false */
  readonly live?: boolean;
  /**
   * Called in place of returning an event that cannot be read; then reading continues. With `tag`, also for events whose tags are unknown. An error that it throws ends
   * the reading. @default the reading ends with the error of the event
   */
  readonly onUnreadable?: (event: UnreadableEvent) => void | Promise<void>;
  /** Ends reading without an error. */
  readonly signal?: AbortSignal;
  /** Milliseconds for each request. @default the feed's `deadlineMs` */
  readonly deadlineMs?: number;
}
