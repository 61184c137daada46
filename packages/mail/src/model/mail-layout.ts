import type { CallOptions } from "@tablekeep/core";
import type { MailCall } from "./mail-context.ts";
import type { MailSearch } from "./mail-search.ts";
import type {
  Envelope,
  IncomingMessage,
  MailMarks,
  MailMessage,
  MailSummary,
  OriginalMessage,
} from "./message.ts";

/** Which part of all messages to read. */
export interface NewestRange {
  /** Only messages with ids lower than this. */
  readonly before?: string;
  /** How many to skip. */
  readonly skip: number;
  /** About how many will be read. */
  readonly want: number;
}

/** A message that may match a search. */
export interface Candidate {
  readonly summary: MailSummary;
  /** Whether it matches; undefined if that requires its bytes. */
  readonly matches: boolean | undefined;
}

/** Ids that an index finds, newest first. */
export interface IndexedIds {
  readonly ids: readonly string[];
  /** Whether all of these messages exist. Otherwise some may have been deleted. */
  readonly exist: boolean;
  /** Those that match for certain, if they exist. */
  readonly certain: ReadonlySet<string>;
}

/** Finds messages without reading their summaries. */
export interface SearchIndex {
  /** Returns at least all messages that match, newest first, in batches. */
  ids(search: MailSearch, call: MailCall): AsyncGenerator<IndexedIds, void, undefined>;
  /** Returns those of these messages that exist, and that do not fail to match by their summaries, in order. */
  candidates(search: MailSearch, ids: readonly string[], call: MailCall): Promise<readonly Candidate[]>;
  /** Returns summaries; undefined for messages that do not exist. */
  summaries(ids: readonly string[], call: MailCall): Promise<(MailSummary | undefined)[]>;
}

/** Counts the messages that a delete has removed so far. */
export interface RemovalCounter {
  /** Counts messages that have just been removed. `change` is the entry of the removal, if the layout stores changes. */
  add(ids: readonly string[], change?: ChangeEntry): void;
  /** Counts all messages, which have just been removed together. */
  addAll(count: number): void;
}

/** A stored change to messages. Its id is made as those of messages are, so that both have one order. */
export interface ChangeEntry {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly kind: "deleted" | "marked" | "imported";
  /** The messages. */
  readonly ids: readonly string[];
}

/** Marks of messages, and the changes that the table stores for watchers of all instances. */
export interface ChangeStore {
  /** Changes messages and reports each stored change. Returns how many messages there are. */
  mark(
    ids: readonly string[],
    marks: MailMarks,
    call: MailCall,
    onMarked: (change: ChangeEntry) => void,
  ): Promise<number>;
  /** Returns the changes with ids of this millisecond or later, oldest first, but at most about `limit`. */
  since(sinceMs: number, limit: number, call: MailCall): Promise<ChangeEntry[]>;
  /** Returns only those that import messages. */
  importsSince(sinceMs: number, limit: number, call: MailCall): Promise<ChangeEntry[]>;
  /** Returns the messages with these ids as they are now; undefined for those that do not exist. */
  summaries(ids: readonly string[], call: MailCall): Promise<(MailSummary | undefined)[]>;
  /** The newest era that was read; "" if there is none yet. Deleting all messages begins another. */
  readonly knownEra: string;
  /** The era of a message that was just committed, or was read before. A lower one than {@link knownEra} has ended: the message is deleted. */
  eraOf(summary: MailSummary): string;
  /** Milliseconds for which changes are stored. */
  readonly keptMs: number;
}

/** The id and the marks of a message that was received elsewhere. */
export interface OriginalRecord extends Pick<OriginalMessage, "read" | "tags"> {
  /** That of {@link MailLayout.originalId}. */
  readonly id: string;
}

/** How messages map to items of a table. Everything else is the same for all layouts. Never returns expired messages. */
export interface MailLayout {
  /** Whether this may be the id of a message. */
  isId(id: string): boolean;
  /** The lowest id of this millisecond since 1970. */
  idAt(ms: number): string;
  /** With `original`, a message that was received elsewhere. */
  incoming(envelope: Envelope, options?: CallOptions, original?: OriginalRecord): IncomingMessage;
  /** The id of a message that was received elsewhere. @default such messages get new ids */
  originalId?(original: OriginalMessage): string;
  summary(id: string, call: MailCall): Promise<MailSummary | undefined>;
  /** The message with its bytes; undefined if there is none. */
  message(id: string, call: MailCall): Promise<MailMessage | undefined>;
  /** Messages with their bytes, in order; undefined for those that were deleted. */
  load(summaries: readonly MailSummary[], call: MailCall): Promise<(MailMessage | undefined)[]>;
  /** Newest first. */
  newest(range: NewestRange, call: MailCall): AsyncGenerator<MailSummary, void, undefined>;
  /** Returns at least all messages that match, newest first, in batches. */
  candidates(
    search: MailSearch,
    before: string | undefined,
    call: MailCall,
  ): AsyncGenerator<readonly Candidate[], void, undefined>;
  /** @default `candidates` are read */
  readonly index?: SearchIndex;
  /** Returns the messages with ids of this millisecond or later, at the lowest cost. Those that were imported are changes. */
  recent(sinceMs: number, call: MailCall): Promise<MailSummary[]>;
  count(call: MailCall): Promise<number>;
  /** Removes messages and counts those that existed. */
  remove(ids: readonly string[], call: MailCall, removed: RemovalCounter): Promise<void>;
  /** Removes all messages and counts them. */
  removeAll(call: MailCall, removed: RemovalCounter): Promise<void>;
  /** @default messages have no marks, and changes are not stored */
  readonly changes?: ChangeStore;
  /** Milliseconds since 1970 at which an id was made. */
  timeOf(id: string): number;
  /** Removes items that deleted messages have left. Returns for how many messages. @default there are none */
  reclaim?(call: MailCall, onRemoved: (messages: number) => void): Promise<number>;
  /** Ends background work that need not be finished. @default there is none */
  close?(): void;
}
