import { type Clock, type Logger, sleep } from "@tablekeep/core";
import type { Mail } from "../../model/mail.ts";
import type { MailChange } from "../../model/mail-changes.ts";
import type { MailSummary, MarkedMessage } from "../../model/message.ts";
import type { UidEntry, UidLog } from "../uids/uid-log.ts";
import { inBatches } from "./in-batches.ts";

/** The part of a mail store that IMAP reads. */
export type ImapMail = Pick<Mail, "list" | "load" | "summary" | "search" | "count" | "watchChanges">;

/** A message of a mailbox. */
export interface MailboxEntry {
  readonly uid: number;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly size: number;
  read: boolean;
  tags: readonly string[];
  /** The version of the mailbox in which the two fields above last changed; 0 if they did not. */
  flagsVersion: number;
  /** Whether it was deleted or has expired. */
  gone: boolean;
}

export interface ImapMailboxOptions {
  readonly mail: ImapMail;
  readonly uids: UidLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Older messages are not shown. */
  readonly maxMessages: number;
}

/**
 * The messages of a store with their UIDs, for all sessions. A message is shown once the log of UIDs has it, and in the order of the log, so that a
 * client never sees a UID below one that it has seen before. New messages, deletes and marks arrive by a watcher; what the watcher does not
 * report, such as expired messages, is found when a client selects the mailbox.
 */
export class ImapMailbox {
  readonly #options: ImapMailboxOptions;
  readonly #byId = new Map<string, MailboxEntry>();
  readonly #listeners = new Set<() => void>();
  readonly #end = new AbortController();
  #entries: MailboxEntry[] = [];
  /** Entries of the log that were read, and whose messages have not been looked up yet. */
  #unplaced: UidEntry[] = [];
  /** Ends with the last change in progress. Changes wait for each other. */
  #changing: Promise<unknown> = Promise.resolve();
  #version = 0;
  #marked = 0;
  #removed = 0;
  #listing: Promise<void> | undefined;
  /** Whether the watcher reports every change since the last listing. */
  #isFollowed = false;
  #watching: Promise<void> | undefined;

  constructor(options: ImapMailboxOptions) {
    this.#options = options;
  }

  get mail(): ImapMail {
    return this.#options.mail;
  }

  /** Valid once the mailbox was refreshed, as is {@link nextUid}. */
  get validity(): number {
    return this.#options.uids.validity;
  }

  /** Ascending by UID. */
  get entries(): readonly MailboxEntry[] {
    return this.#entries;
  }

  /** Changes with every change of the entries. */
  get version(): number {
    return this.#version;
  }

  /** The version in which flags last changed. */
  get marked(): number {
    return this.#marked;
  }

  /** The version in which entries were last removed. */
  get removed(): number {
    return this.#removed;
  }

  get nextUid(): number {
    return this.#options.uids.nextUid;
  }

  /** Calls `listener` after every change; returns a function that stops this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Updates the entries. */
  async refresh(): Promise<void> {
    await this.#upToDate();
    this.#watching ??= this.#watch();
  }

  /** Marks a message that could not be found. */
  forget(entry: MailboxEntry): void {
    this.#remove([entry]);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#watching;
  }

  async #upToDate(): Promise<void> {
    this.#listing ??= this.#inTurn(() => this.#reconcile()).finally(() => {
      this.#listing = undefined;
    });
    await this.#listing;
  }

  /** Always lists the store. A listing that began earlier may lack later changes. */
  async #listAgain(): Promise<void> {
    while (this.#listing !== undefined) await this.#listing.catch(() => {});
    this.#isFollowed = false;
    await this.#upToDate();
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#changing.then(work);
    this.#changing = turn.catch(() => {});
    return turn;
  }

  /** Lists the store, unless the number of messages is the known one. */
  async #reconcile(): Promise<void> {
    const { mail, maxMessages } = this.#options;
    const { signal } = this.#end;
    if (this.#isFollowed && (await mail.count({ signal })) === this.#entries.length) return;
    // Before the list: a message that has a UID and is not listed no longer exists.
    await this.#readUids();
    const found: MailSummary[] = [];
    let cursor: string | undefined;
    do {
      const page = await mail.list({ limit: 250, cursor, signal });
      for (const summary of page.items) found.push(brief(summary));
      cursor = found.length >= maxMessages ? undefined : page.next;
    } while (cursor !== undefined);
    const present = new Map(found.toReversed().map((summary) => [summary.id, summary]));
    this.#remove(this.#entries.filter(({ id }) => !present.has(id)));
    this.#unplaced = this.#unplaced.filter(({ id }) => present.has(id));
    await this.#place(present);
    this.#mark(found);
    this.#isFollowed = true;
    this.#changed();
  }

  async #watch(): Promise<void> {
    const { mail, clock, logger } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      const watching = new AbortController();
      try {
        if (!this.#isFollowed) await this.#listAgain();
        const ids = this.#entries.map(({ id }) => id);
        const after = ids.toSorted().at(-1) ?? "";
        const changes = mail.watchChanges({ after, signal: AbortSignal.any([signal, watching.signal]) });
        for await (const batch of inBatches(changes, numberedAtOnce)) {
          // A listing in progress is older than these changes.
          await this.#listing?.catch(() => {});
          // What is listed now and what the watcher reports next leave no gap.
          if (batch.some(({ kind }) => kind === "reset")) await this.#listAgain();
          else await this.#inTurn(() => this.#applyAll(batch));
        }
      } catch (error) {
        if (signal.aborted) return;
        logger.warn("reading the IMAP mailbox failed; trying again", { error });
        this.#isFollowed = false;
        await sleep(clock, 1_000, signal, { background: true }).catch(() => {});
      } finally {
        watching.abort();
      }
    }
  }

  /** Messages that arrive together get their UIDs together. */
  async #applyAll(changes: readonly MailChange[]): Promise<void> {
    let stored = new Map<string, MailSummary>();
    for (const change of changes) {
      if (change.kind === "stored") {
        stored.set(change.summary.id, change.summary);
        continue;
      }
      await this.#place(stored);
      stored = new Map();
      this.#apply(change);
    }
    await this.#place(stored);
    this.#changed();
  }

  #apply(change: Exclude<MailChange, { kind: "stored" }>): void {
    if (change.kind === "cleared") this.#remove(this.#entries);
    else if (change.kind === "marked") this.#mark(change.messages);
    else if (change.kind === "deleted")
      this.#remove(
        change.ids.flatMap((id) => {
          const entry = this.#byId.get(id);
          return entry === undefined ? [] : [entry];
        }),
      );
  }

  async #readUids(): Promise<void> {
    const { signal } = this.#end;
    for (const entry of await this.#options.uids.read({ signal })) this.#unplaced.push(entry);
  }

  /** Adds messages in the order of their UIDs, those of other servers too, which have seen them first. Numbers those without a UID. */
  async #place(found: ReadonlyMap<string, MailSummary>): Promise<void> {
    const { uids } = this.#options;
    const { signal } = this.#end;
    const ids = [...found.keys()].filter((id) => !this.#byId.has(id));
    const numbered = new Set<string>();
    let at = 0;
    for (;;) {
      for (const id of await this.#placeNumbered(found)) numbered.add(id);
      while (numbered.has(ids[at] ?? "")) at++;
      const missing = ids.slice(at, at + numberedAtOnce).filter((id) => !numbered.has(id));
      if (missing.length === 0) return;
      await uids.append(missing, { signal });
      await this.#readUids();
    }
  }

  /** Adds the messages whose UIDs were read. Returns their ids. The next call repeats what failed. */
  async #placeNumbered(found: ReadonlyMap<string, MailSummary>): Promise<readonly string[]> {
    const { mail } = this.#options;
    const { signal } = this.#end;
    const entries = this.#unplaced;
    let done = 0;
    try {
      for (const { id, uid } of entries) {
        const summary = found.get(id) ?? (await mail.summary(id, { signal }));
        if (summary !== undefined) this.#add(summary, uid);
        done++;
      }
    } finally {
      this.#unplaced = entries.slice(done);
    }
    return entries.map(({ id }) => id);
  }

  #add(summary: MailSummary, uid: number): void {
    const { id } = summary;
    const before = this.#byId.get(id);
    if (before !== undefined && before.uid >= uid) return;
    // It was deleted, and imported again: its later UID counts, on all servers.
    if (before !== undefined) this.#remove([before]);
    const entry: MailboxEntry = { ...brief(summary), uid, flagsVersion: 0, gone: false };
    this.#byId.set(id, entry);
    this.#entries.push(entry);
    this.#version++;
    const surplus = this.#entries.length - this.#options.maxMessages;
    if (surplus > 0) this.#takeAway(this.#entries.splice(0, surplus));
  }

  #remove(entries: readonly MailboxEntry[]): void {
    if (entries.length === 0) return;
    this.#takeAway(entries);
    this.#entries = this.#entries.filter(({ gone }) => !gone);
  }

  #takeAway(entries: readonly MailboxEntry[]): void {
    for (const entry of entries) {
      entry.gone = true;
      this.#byId.delete(entry.id);
    }
    this.#removed = ++this.#version;
  }

  #mark(messages: readonly MarkedMessage[]): void {
    const version = this.#version + 1;
    for (const { id, read, tags } of messages) {
      const entry = this.#byId.get(id);
      if (entry === undefined || (entry.read === read && isSame(entry.tags, tags))) continue;
      Object.assign(entry, { read, tags, flagsVersion: version });
      this.#version = version;
      this.#marked = version;
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The number of messages that get their UIDs with one write. */
const numberedAtOnce = 100;

/** Keeps little of each of many summaries. */
function brief({ id, created, size, read, tags }: MailSummary): MailSummary {
  return { id, created, size, read, tags: tags.length === 0 ? noTags : tags } as MailSummary;
}

const noTags: readonly string[] = [];

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((tag, at) => tag === others[at]);
}
