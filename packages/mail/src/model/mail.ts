import type { CallOptions } from "@tablekeep/core";
import type { ArrivedMessage, MailChange, WaitOptions, WantedMessage, WatchOptions } from "./mail-changes.ts";
import type {
  MailPage,
  MailQuery,
  MailSearch,
  PageRequest,
  SearchPage,
  SearchRequest,
} from "./mail-search.ts";
import type {
  Envelope,
  IncomingMessage,
  MailMarks,
  MailMessage,
  MailSummary,
  OriginalMessage,
  StoredMessage,
} from "./message.ts";

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

/** Options of a delete. */
export interface DeleteOptions extends CallOptions {
  /** Called while it works, often. @default none */
  readonly onProgress?: (progress: DeleteProgress) => void;
}

/** How far a delete is. */
export interface DeleteProgress {
  /** Messages that are deleted, or whose items are removed. */
  readonly deleted: number;
  /** Messages that were found, of those that a search selects. @default not known */
  readonly found?: number;
}
