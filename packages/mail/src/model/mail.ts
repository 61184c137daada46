import type { CallOptions } from "@tablekeep/core";

/** Sender and recipients as given in SMTP. */
export interface Envelope {
  /** The reverse path without brackets, as it was sent; "" for a null sender. */
  readonly from: string;
  /** The forward paths without brackets, in the order sent, duplicates kept. */
  readonly to: readonly string[];
  /** The name of HELO or EHLO. */
  readonly helo: string;
  /** The authenticated user. @default none */
  readonly user?: string;
}

/** A message without its body. */
export interface MailSummary {
  /** Opaque. Ids of one store sort by time as strings. */
  readonly id: string;
  /** Milliseconds since 1970 at which the message was complete. */
  readonly created: number;
  /** The second since 1970 at which the message expires. */
  readonly expires: number;
  readonly envelope: Envelope;
  /** Bytes of the message as it was received. */
  readonly size: number;
  /** Decoded, at most 500 characters. */
  readonly subject: string;
  /** The header `From`, decoded, at most 500 characters. */
  readonly headerFrom: string;
  /** The header `To`, decoded, at most 500 characters. */
  readonly headerTo: string;
  /** The first line of the text, decoded, at most 200 characters. */
  readonly preview: string;
  /** Number of parts that are probably attachments. */
  readonly attachments: number;
  /** Whether the message was marked as read. Loading it does not mark it. */
  readonly read: boolean;
  /** In order: those of the header `X-Tags`, and those that {@link Mail.mark} added. */
  readonly tags: readonly string[];
  /** The position of an imported message in the order of announcement: its id has the time at which it was received elsewhere. @default not imported */
  readonly imported?: string;
}

/** What to change in messages. At most one of the three changes of tags. */
export interface MailMarks {
  /** Whether the messages are read. @default unchanged */
  readonly read?: boolean;
  /** The new tags, instead of all others. @default unchanged */
  readonly tags?: readonly string[];
  /** Tags to add. What others add or remove at the same time is kept. @default none */
  readonly addTags?: readonly string[];
  /** Tags to remove. What others add or remove at the same time is kept. @default none */
  readonly removeTags?: readonly string[];
}

/** The marks of a message after a change. */
export type MarkedMessage = Pick<MailSummary, "id" | "read" | "tags">;

/** A message that is stored durably. */
export type StoredMessage = MailSummary;

/** A message with its bytes. */
export interface MailMessage extends MailSummary {
  /** The bytes exactly as received. */
  readonly raw: Uint8Array;
  /**
   * Returns the message in MailHog's shape, within limits: see `docs/reference/mail.md`. Computed at each call.
   *
   * @example
   * const { From, Content } = message.mailhog();
   */
  mailhog(): MailhogMessage;
  /**
   * Returns headers and body as MailHog splits them, without parts. Computed at each call.
   *
   * @example
   * for (const chunk of message.mailhogText().body) process.stdout.write(chunk);
   */
  mailhogText(): MailhogText;
  /**
   * {@link mailhog} as Go writes it as JSON, in chunks of at most about 64 Ki characters, some of them empty. Let the
   * event loop run between chunks: a large message takes long in total.
   *
   * @example
   * await pipeline(Readable.from(message.mailhogJson()), response);
   */
  mailhogJson(options?: MailhogJsonOptions): Iterable<string>;
}

/** Where a message comes from that was received elsewhere. */
export interface OriginalMessage {
  /** Milliseconds since 1970 at which it was received; not in the future. */
  readonly created: number;
  /** Identifies it among those of this millisecond: its id in another store, or a digest. */
  readonly key: string;
  /** Its position among messages of the same millisecond, from 0 to 1,000,000. @default 0 */
  readonly position?: number;
}

/** A message in flight. Write its bytes, then finish or discard it. */
export interface IncomingMessage {
  /** A name for logs; the id of the stored message once {@link finish} has resolved. */
  readonly id: string;
  /** The named inbox that it is stored in; undefined for the default inbox, and while none is chosen. */
  readonly inbox?: string;
  /**
   * Adds the next bytes, without dot stuffing. Resolves when more may be written: chunks are stored meanwhile.
   * Rejects with `MAIL_MESSAGE_TOO_LARGE` if there are too many bytes; only {@link discard} remains then.
   *
   * @example
   * for await (const bytes of stream) await incoming.write(bytes);
   */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Resolves once the message is durable and visible, and rejects with the reason otherwise: see `MailErrorDetails`.
   * If the error is `ambiguous`, the message may be stored.
   *
   * @example
   * const { id } = await incoming.finish();
   */
  finish(options?: CallOptions): Promise<StoredMessage>;
  /**
   * Removes what was written so far, as far as possible. Never rejects; anything left over expires. Does nothing
   * once {@link finish} has been called.
   *
   * @example
   * await incoming.discard();
   */
  discard(): Promise<void>;
}

/**
 * A search. Case is ignored.
 *
 * - `from`, `to`, `containing`: MailHog's kinds, with the results of its memory storage. `from` and `to` find a part of an
 *   address of the envelope or of the header; `containing` finds a part of a header's value or of the undecoded body.
 * - `text`: a part of the decoded subject, addresses, text and HTML of the first MiB.
 * - `sender`, `recipient`: the whole address of the envelope or of the header. Reads only what matches.
 */
export interface MailSearch {
  readonly kind: "from" | "to" | "containing" | "text" | "sender" | "recipient";
  readonly query: string;
}

/**
 * A search in Mailpit's grammar, such as `from:shop subject:"your order" has:attachment -is:read`: see `docs/reference/mail-queries.md`.
 * A query that cannot be parsed is `MAIL_QUERY_INVALID`, which has the position.
 */
export interface MailQuery {
  readonly kind?: "query";
  readonly query: string;
}

/** Which part of a list to return. Newest first. */
export interface PageRequest extends CallOptions {
  /** How many to skip. Not together with `cursor`. @default 0 */
  readonly start?: number;
  /** Maximum number of messages. @default 50 */
  readonly limit?: number;
  /** Where an earlier page ended: its `next`. @default the newest */
  readonly cursor?: string;
}

/** A part of a list. */
export interface MailPage {
  readonly items: readonly MailSummary[];
  /** Where the next page begins; undefined if there is none. */
  readonly next?: string;
}

/** Options of a search. */
export interface SearchRequest extends PageRequest {
  /** Count all matches, which reads to the end. @default false */
  readonly total?: boolean;
}

/** How far a delete is. */
export interface DeleteProgress {
  /** Messages that are deleted, or whose items are removed. */
  readonly deleted: number;
  /** Messages that were found, of those that a search selects. @default not known */
  readonly found?: number;
}

/** Options of a delete. */
export interface DeleteOptions extends CallOptions {
  /** Called while it works, often. @default none */
  readonly onProgress?: (progress: DeleteProgress) => void;
}

/** What a search found. */
export interface SearchPage extends MailPage {
  /** The number of all matches, if `total` was set. */
  readonly total?: number;
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
   * continues without a gap and without repetitions if the cursor is that of a wait, up to 80 messages in three seconds; an instance that remembers neither continues by id. ""
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

/** A mail store in a table. */
export interface Mail {
  /**
   * Starts a message whose bytes are still to arrive. Sends nothing yet.
   *
   * @example
   * const incoming = mail.receive({ from: "a@example.org", to: ["b@example.com"], helo: "client" });
   * for await (const bytes of stream) await incoming.write(bytes);
   * const { id } = await incoming.finish();
   */
  receive(envelope: Envelope, options?: CallOptions): IncomingMessage;
  /**
   * Stores a whole message: {@link receive}, write and finish in one call.
   *
   * @example
   * const envelope = { from: "a@example.org", to: ["b@example.com"], helo: "client" };
   * const { id } = await mail.store(envelope, Buffer.from("Subject: hello\r\n\r\nHello.\r\n"));
   */
  store(envelope: Envelope, raw: Uint8Array, options?: CallOptions): Promise<StoredMessage>;
  /**
   * Returns a message with its bytes; undefined if it does not exist, or no longer exists, or if the id is not one of this store.
   *
   * @example
   * const raw = (await mail.load(id))?.raw;
   */
  load(id: string, options?: CallOptions): Promise<MailMessage | undefined>;
  /**
   * Loads the messages of a page with their bytes, in order, a few at a time. Skips those deleted meanwhile.
   *
   * @example
   * const { items } = await mail.list();
   * for await (const { id, raw } of mail.loadEach(items)) await writeFile(`${id}.eml`, raw);
   */
  loadEach(page: readonly MailSummary[], options?: CallOptions): AsyncIterable<MailMessage>;
  /**
   * Returns a message without its bytes; undefined if it does not exist.
   *
   * @example
   * const subject = (await mail.summary(id))?.subject;
   */
  summary(id: string, options?: CallOptions): Promise<MailSummary | undefined>;
  /**
   * Lists messages, newest first, page by page.
   *
   * @example
   * const first = await mail.list({ limit: 100 });
   * const second = await mail.list({ limit: 100, cursor: first.next });
   */
  list(page?: PageRequest): Promise<MailPage>;
  /**
   * Finds messages, newest first, page by page.
   *
   * @example
   * const { items, total } = await mail.search({ kind: "text", query: "invoice" }, { total: true });
   * const today = await mail.search({ query: "from:shop has:attachment after:2026-11-16" });
   */
  search(search: MailSearch | MailQuery, page?: SearchRequest): Promise<SearchPage>;
  /**
   * Stores a message that was received elsewhere, with its time. Its id depends on `original` alone, and is `original.key` if that is an
   * id of this layout, which contains the time. Returns undefined if the message is stored already. It expires as if it came now, and is
   * announced to watchers now: its `cursor` is after all that was announced before. In layout `mhdynamo` it is stored as a new message.
   *
   * @example
   * const summary = await mail.importMessage({ created: Date.parse("2026-01-02"), key: "a1" }, envelope, bytes);
   */
  importMessage(
    original: OriginalMessage,
    envelope: Envelope,
    raw: Uint8Array,
    options?: CallOptions,
  ): Promise<StoredMessage | undefined>;
  /**
   * Counts the messages.
   *
   * @example
   * console.log(`${await mail.count()} messages`);
   */
  count(options?: CallOptions): Promise<number>;
  /**
   * Marks messages, by id or all that a search finds, as read or unread, or changes their tags. Returns how many there are. Marks are
   * stored with the message; layout `sharded` only. After a failure some messages may be marked: repeat the call.
   *
   * @example
   * await mail.mark([id], { read: true, addTags: ["checked"] });
   * await mail.mark({ query: "is:unread from:shop" }, { read: true });
   */
  mark(
    which: readonly string[] | MailSearch | MailQuery,
    marks: MailMarks,
    options?: CallOptions,
  ): Promise<number>;
  /**
   * Deletes a message. Returns whether it existed.
   *
   * @example
   * if (!(await mail.deleteOne(id))) console.log("no such message");
   */
  deleteOne(id: string, options?: CallOptions): Promise<boolean>;
  /**
   * Deletes messages by id, or all that a search finds. Returns how many existed.
   *
   * @example
   * await mail.deleteMany({ kind: "recipient", query: "test@example.com" });
   */
  deleteMany(which: readonly string[] | MailSearch | MailQuery, options?: DeleteOptions): Promise<number>;
  /**
   * Deletes all messages stored before the call. Returns how many there were. Messages stored meanwhile may or may not be deleted.
   * In the layout `sharded` the time does not depend on their number: their items are removed later, see {@link reclaim}.
   *
   * @example
   * await mail.deleteAll();
   */
  deleteAll(options?: DeleteOptions): Promise<number>;
  /**
   * Removes the items that {@link deleteAll} has left. Returns for how many messages. Also runs in the background, at a limited
   * rate; this call waits for it and does not limit the rate.
   *
   * @example
   * await mail.deleteAll();
   * await mail.reclaim();
   */
  reclaim(options?: DeleteOptions): Promise<number>;
  /**
   * Deletes the oldest messages beyond `maxMessages`. Returns how many. Also runs automatically after stores.
   *
   * @example
   * const deleted = await mail.trim();
   */
  trim(options?: CallOptions): Promise<number>;
  /**
   * Returns the newest message that matches, or waits for the first; undefined if none arrives in time.
   *
   * @example
   * const message = await mail.wait({ kind: "recipient", query: "ann@example.org" }, { timeoutMs: 5_000 });
   */
  wait(
    search: MailSearch | MailQuery | undefined,
    options?: WaitOptions,
  ): Promise<ArrivedMessage | undefined>;
  /**
   * Returns the position after all messages that are stored now, for {@link waitFor}.
   *
   * @example
   * const since = await mail.position();
   */
  position(options?: CallOptions): Promise<string>;
  /**
   * Waits for a message. It is never missed if it is stored after `since`; two in one millisecond are two. Returns undefined after
   * `deadlineMs`, by default 30,000.
   *
   * @example
   * const since = await mail.position();
   * await signUp("ann@example.org");
   * const message = await mail.waitFor({ to: "ann@example.org", subject: "Welcome", since }, { deadlineMs: 5_000 });
   */
  waitFor(wanted: WantedMessage, options?: CallOptions): Promise<ArrivedMessage | undefined>;
  /**
   * Returns every new message of all instances on this table, each once, within about a second, roughly in the order of
   * ids. Throws `MAIL_WATCHER_TOO_SLOW` if the consumer falls 10,000 messages behind.
   *
   * @example
   * for await (const { subject } of mail.watch({ signal })) console.log(subject);
   */
  watch(options?: WatchOptions): AsyncIterable<ArrivedMessage>;
  /**
   * Returns everything that {@link watch} returns, and the deletes and marks of all instances on this table; `cleared` reports that all
   * messages were deleted at once. With `after`, also those since the cursor, for a day: later, `reset` reports that some are missing.
   * In layout `mhdynamo` there are no marks, and only deletes by this instance are reported. Expired messages are not reported.
   *
   * @example
   * for await (const change of mail.watchChanges({ signal }))
   *   if (change.kind === "deleted") console.log("deleted", change.ids);
   */
  watchChanges(options?: WatchOptions): AsyncIterable<MailChange>;
  /**
   * Ends watchers, and waits for background work. Leaves the port open.
   *
   * @example
   * await mail.close();
   */
  close(): Promise<void>;
}

/** An address as MailHog splits it. */
export interface MailhogPath {
  readonly Relays: readonly string[] | null;
  readonly Mailbox: string;
  readonly Domain: string;
  readonly Params: string;
}

/** A piece of a message in MailHog's shape: undecoded. */
export interface MailhogContent {
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string;
  /** Bytes. */
  readonly Size: number;
  readonly MIME: MailhogMime | null;
}

/** The headers and the undecoded body of a message, as MailHog splits them. */
export interface MailhogText {
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** In chunks of at most about 64 Ki characters. */
  readonly body: Iterable<string>;
}

/** The parts of a multipart, as MailHog cuts them. */
export interface MailhogMime {
  readonly Parts: readonly MailhogContent[] | null;
}

/** A message in MailHog's shape, fields in its order. */
export interface MailhogMessage {
  readonly ID: string;
  readonly From: MailhogPath;
  readonly To: readonly MailhogPath[] | null;
  readonly Content: MailhogContent;
  /** RFC 3339. */
  readonly Created: string;
  readonly MIME: MailhogMime | null;
  readonly Raw: {
    readonly From: string;
    readonly To: readonly string[] | null;
    readonly Data: string;
    readonly Helo: string;
  };
}

/** Format of the JSON. */
export interface MailhogJsonOptions {
  /** Spaces for each level, with every member on its own line. @default 0: everything on one line */
  readonly indent?: number;
  /** Prefix of each line but the first. Only with `indent`. @default "" */
  readonly linePrefix?: string;
}
