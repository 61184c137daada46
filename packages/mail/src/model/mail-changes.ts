import type { MailQuery, MailSearch } from "./mail-search.ts";
import type { MailSummary, MarkedMessage } from "./message.ts";

/** A message that was announced. */
export interface ArrivedMessage extends MailSummary {
  /** The position after this message in the order of announcement. Ids are made earlier and have another order. */
  readonly cursor: string;
}

/** A change to the messages of a store. `cursor` is the position after it; without one, the position is unchanged. */
export type MailChange =
  | { readonly kind: "stored"; readonly summary: ArrivedMessage }
  | { readonly kind: "deleted"; readonly ids: readonly string[]; readonly cursor?: string }
  /** The marks of these messages as they are now. Ignore messages that were not reported. */
  | { readonly kind: "marked"; readonly messages: readonly MarkedMessage[]; readonly cursor?: string }
  /** All messages reported before were deleted at once. */
  | { readonly kind: "cleared"; readonly cursor?: string }
  /** Deletes and marks after the given cursor are no longer stored, or are too many: list the messages again. */
  | { readonly kind: "reset" };

/** How to watch for new messages. */
export interface WatchOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
  /**
   * The `cursor` of the last message that was processed: return everything after it first. The instance that returned the cursor
   * continues exactly there for ten minutes. Later, and on other instances, no message is missed that was committed within
   * 30 seconds after its id was made, and messages of these 30 seconds may be returned again. A plain id returns everything with
   * a higher id, and "" everything. @default only new messages
   */
  readonly after?: string;
  /** Return only messages that match; deletes and marks of all. @default all messages */
  readonly search?: MailSearch | MailQuery;
}

/** How to wait for a message. */
export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Maximum milliseconds to wait. @default 30,000 */
  readonly timeoutMs?: number;
  /** Milliseconds since 1970: ignore older messages. @default consider all messages */
  readonly since?: number;
  /**
   * The `cursor` of a message: return the next one after it, in the order in which this instance announced them. Another instance of the table
   * continues without a gap and without repetitions if the cursor is that of a wait with the same conditions, up to 480 returned messages in three seconds; an instance that remembers neither continues by id. ""
   * returns the oldest. @default the newest message
   */
  readonly after?: string;
}

/** The message that a test waits for: all given conditions hold. */
export interface WantedMessage {
  /** The whole address of a recipient, ignoring case. */
  readonly to?: string;
  /** The whole address of the sender, ignoring case. */
  readonly from?: string;
  /** A part of the decoded subject, ignoring case, or an expression that it matches. */
  readonly subject?: string | RegExp;
  /** Any further condition. */
  readonly matches?: (message: MailSummary) => boolean;
  /**
   * The `cursor` of a message, or a `position`: only later messages count, the first of them first. "" is before all messages.
   * @default the newest message that is there, or else the first to arrive
   */
  readonly since?: string;
}
