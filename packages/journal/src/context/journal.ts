import type { CallOptions, Outcome, TransactWriteItem } from "@tablekeep/core";

/** An event to be written. */
export interface NewEvent {
  /** Anything that a codec takes; plain data by default. */
  readonly payload: unknown;
  /** Who encodes the payload, by id. @default by the payload's type */
  readonly serializerId?: number | undefined;
  /** The payload's type for its serializer. @default "" */
  readonly serializerManifest?: string | undefined;
  /** The event's type for whoever adapts events on reading. @default "" */
  readonly manifest?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Anything that a codec takes, kept beside the payload. */
  readonly metadata?: unknown;
  /** Milliseconds. @default the clock's */
  readonly timestamp?: number | undefined;
  /** The path of the actor that sent it, which only the formats `message` and `pay` keep. @default none */
  readonly sender?: string | undefined;
}

/** One event, or several that live or die together. */
export type AtomicWrite = NewEvent | readonly NewEvent[];

/** An event as it was read. */
export interface JournalEvent {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  /** Decoded; `{ serializerId, manifest, bytes }` if no codec knows its serializer. */
  readonly payload: unknown;
  /** Who encoded the payload, by id; what was compressed has that of what is inside. */
  readonly serializerId: number;
  readonly serializerManifest: string;
  readonly manifest: string;
  readonly writerUuid: string;
  /** Milliseconds; 0 where the original stored none. */
  readonly timestamp: number;
  readonly tags: readonly string[];
  readonly metadata?: unknown;
}

/** The numbers that a write got. */
export interface WrittenRange {
  readonly first: number;
  readonly last: number;
}

export interface AppendOptions extends CallOptions {
  /**
   * Items of your own that are written in the same transaction as the write: an outbox row, a command ledger, an offset.
   * The call must have exactly one write.
   */
  readonly alsoWrite?: readonly TransactWriteItem[] | undefined;
}

/** The right to append to one persistence id, until another takes it. */
export interface JournalWriter {
  readonly persistenceId: string;
  /** Drawn anew with every recovery. */
  readonly writerUuid: string;
  /** The highest number when this writer recovered, and since, its own. */
  readonly highestSequenceNr: number;
  /** The lowest number that is not deleted, as of the recovery. */
  readonly lowestSequenceNr: number;
  /**
   * Writes one after the other, in order. Gives one outcome a write. A write that cannot be stored as it is (too large,
   * not serializable) is `rejected` and leaves the others alone; after any other failure those that follow are not sent
   * and `rejected`. After a `conflict` or an `unknown` the writer has ended: recover again.
   */
  append(writes: readonly AtomicWrite[], options?: AppendOptions): Promise<readonly Outcome<WrittenRange>[]>;
}

export interface ReplayOptions {
  /** The first number; -1 for the last event only. @default 1 */
  readonly from?: number | undefined;
  /** The last number. @default the highest at the start */
  readonly to?: number | undefined;
  /** The most events to give. @default all */
  readonly max?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each request. @default the journal's `deadlineMs` */
  readonly deadlineMs?: number | undefined;
}

/** How a deletion goes about its work. */
export interface DeleteOptions extends CallOptions {
  /** Requests a second at most, so that others get their share of the table. @default no bound */
  readonly maxRequestsPerSecond?: number | undefined;
  /** Capacity units a second at most, reads and writes together. @default no bound */
  readonly maxUnitsPerSecond?: number | undefined;
}

/** What {@link Journal.listAll} found of one id. */
export interface Inventory {
  /** Values of the low marks. */
  readonly lowMarks: readonly number[];
  /** Values of the high marks. */
  readonly highMarks: readonly number[];
  /** Numbers of all live events, rising. */
  readonly sequenceNrs: readonly number[];
}

/** An event journal in one table. */
export interface Journal {
  /** How writers keep others out. */
  readonly fencing: Fencing;
  /** Takes over a persistence id: reads where it stands, ends what an earlier writer left half done. */
  recover(persistenceId: string, options?: CallOptions): Promise<JournalWriter>;
  /** The events of an id, in order, as they stood when the replay began. */
  replay(persistenceId: string, options?: ReplayOptions): AsyncIterable<JournalEvent>;
  /** The highest number ever given to this id, 0 if none; deletions do not lower it. */
  highestSequenceNr(persistenceId: string, options?: CallOptions): Promise<number>;
  /** The lowest number that is not deleted; 1 for a fresh id. */
  lowestSequenceNr(persistenceId: string, options?: CallOptions): Promise<number>;
  /**
   * Deletes the events up to and with a number. May be called again after a failure: it goes on. Without a deadline of
   * its own it takes as long as it needs, and the journal's is that of each request; so do `purge` and `listAll`.
   */
  deleteTo(persistenceId: string, toSequenceNr: number, options?: DeleteOptions): Promise<void>;
  /**
   * Removes the events of an id, and its numbers. For ids without a live writer. Leaves what is kept elsewhere: the id's
   * snapshots, and the replies of its commands. An entity needs `forget` instead, which removes those too.
   */
  purge(persistenceId: string, options?: DeleteOptions): Promise<void>;
  /** Marks and live numbers of an id. Reads every row. */
  listAll(persistenceId: string, options?: CallOptions): Promise<Inventory>;
  /** The ids that the journal has now. */
  currentPersistenceIds(options?: PersistenceIdsOptions): AsyncIterable<KnownId>;
  /** The ids that the journal has, and those that come, until the signal. */
  persistenceIds(options?: PersistenceIdsOptions): AsyncIterable<KnownId>;
  /** The events of an id that are there now: another name of {@link Journal.replay}. */
  currentEventsById(persistenceId: string, options?: ReplayOptions): AsyncIterable<JournalEvent>;
  /** The events of an id that are there, and those that come, until the signal, `to` or `max`. */
  eventsById(persistenceId: string, options?: ReplayOptions): AsyncIterable<JournalEvent>;
}

/** Where the ids of a journal are looked up. */
export type IdSource =
  /** In the registry that this journal keeps: every id once, with a cursor. */
  | "registry"
  /** In the original's index `persistence-ids-idx`: ids whose first event is still there. */
  | "index"
  /** In the whole table: every id, at the price of reading everything and remembering the ids. */
  | "scan";

export interface PersistenceIdsOptions {
  /** @default "registry"; in the scattered layout "scan" */
  readonly source?: IdSource | undefined;
  /** Goes on after this place: the `cursor` of an id that was given. Only with the registry. @default from the beginning */
  readonly after?: string | undefined;
  /** The original's index. @default the journal's `persistenceIdsIndex` */
  readonly index?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An id of a journal. */
export interface KnownId {
  readonly persistenceId: string;
  /** Where to go on after this id; undefined where there is no such place. */
  readonly cursor?: string | undefined;
}

/** Whether a writer is only stopped by the next number being taken, or by its epoch too. */
export type Fencing = "optimistic" | "strict";

/** What to do with an event of a writer that another writer had superseded. */
export type ReplayFilterMode = "repair-by-discard-old" | "fail" | "warn" | "off";
