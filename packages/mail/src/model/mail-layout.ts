import type { CallOptions } from "@tablekeep/core";
import type { Envelope, IncomingMessage, MailMessage, MailSearch, MailSummary } from "./mail.ts";
import type { MailCall } from "./mail-context.ts";

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

/** Counts the messages that a delete has removed so far. */
export interface RemovalCounter {
  /** Counts messages that have just been removed. */
  add(ids: readonly string[]): void;
  /** Counts all messages, which have just been removed together. */
  addAll(count: number): void;
}

/** How messages map to items of a table. Everything else is the same for all layouts. Never returns expired messages. */
export interface MailLayout {
  /** Whether this may be the id of a message. */
  isId(id: string): boolean;
  /** Returns an id lower than all ids made in the `ms` milliseconds before the given id and later. */
  idBefore(id: string, ms: number): string;
  incoming(envelope: Envelope, options?: CallOptions): IncomingMessage;
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
  /** Returns the messages with ids of this millisecond or later, at the lowest cost. */
  recent(sinceMs: number, call: MailCall): Promise<MailSummary[]>;
  count(call: MailCall): Promise<number>;
  /** Removes messages and counts those that existed. */
  remove(ids: readonly string[], call: MailCall, removed: RemovalCounter): Promise<void>;
  /** Removes all messages and counts them. */
  removeAll(call: MailCall, removed: RemovalCounter): Promise<void>;
  /** Removes items that deleted messages have left. Returns for how many messages. @default there are none */
  reclaim?(call: MailCall): Promise<number>;
  /** Ends background work that need not be finished. @default there is none */
  close?(): void;
}
