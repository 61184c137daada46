/** An event as a reader of a feed got it. */
export interface SeenFeedEvent {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly slice: number;
  readonly offset: number;
  readonly late: boolean;
  readonly position: string;
  /** Identifies the event. Unique within a history. */
  readonly text: string;
}

/** One reading of a feed, from a place until the reader ended or was killed. Unfiltered, and nothing is deleted from the journal meanwhile. */
export interface FeedReading {
  /** `start`, or the position of an event that the same reader got before. */
  readonly from: string;
  readonly events: readonly SeenFeedEvent[];
}

/** A reader of a feed, across its restarts. */
export interface FeedReaderHistory {
  readonly reader: string;
  /** In order of time. */
  readonly readings: readonly FeedReading[];
  /** Whether the last reading went to the end of the feed, after all appends of the history. */
  readonly isComplete: boolean;
}

/** The stored state of a projection that has applied events of a feed. */
export interface ProjectedState {
  readonly projection: string;
  /** The number of events of each slice that it has passed. */
  readonly offsets: ReadonlyMap<number, number>;
  /** The sequence numbers that it has applied, by id, in order. */
  readonly applied: ReadonlyMap<string, readonly number[]>;
}

/** What actors have observed of a feed. */
export interface FeedHistory {
  /** The events whose appends were acknowledged. */
  readonly acknowledged: readonly { readonly persistenceId: string; readonly text: string }[];
  readonly readers: readonly FeedReaderHistory[];
  /** @default none */
  readonly projections?: readonly ProjectedState[];
}

/** A violation in the history of a feed. */
export interface FeedViolation {
  /** F1 to F7. */
  readonly rule: string;
  /** The reader or the projection. */
  readonly actor: string;
  /** One line of plain text. */
  readonly message: string;
}
