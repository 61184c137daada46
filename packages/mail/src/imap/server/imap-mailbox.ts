import { type Clock, type Logger, sleep } from "@tablekeep/core";
import type { Mail, MailChange, MailSummary, MarkedMessage } from "../../model/mail.ts";
import type { UidEntry, UidLog } from "../uids/uid-log.ts";

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
  /** The version of the mailbox in which the two above changed; 0 if they did not. */
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
 * The messages of a store with their UIDs, for all sessions. A message is shown once the log of UIDs has it, and in the order of that, so that a
 * client never sees a UID below one that it has seen before. New messages, deletes and marks arrive by a watcher; what that does not
 * report, such as expired messages, is found when a client selects the mailbox.
 */
export class ImapMailbox {
  readonly #options: ImapMailboxOptions;
  readonly #byId = new Map<string, MailboxEntry>();
  readonly #listeners = new Set<() => void>();
  readonly #end = new AbortController();
  #entries: MailboxEntry[] = [];
  /** Entries of the log that were read, and whose messages were not looked for yet. */
  #unplaced: UidEntry[] = [];
  /** Ends with the last change in progress. Changes wait for each other. */
  #changing: Promise<unknown> = Promise.resolve();
  #version = 0;
  #listing: Promise<void> | undefined;
  /** Whether the watcher reports every change since the last listing. */
  #isFollowed = false;
  #watching: Promise<void> | undefined;

  constructor(options: ImapMailboxOptions) {
    this.#options = options;
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

  get nextUid(): number {
    return this.#options.uids.nextUid;
  }

  /** Calls `listener` after every change; returns a function that stops this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Brings the entries up to date. */
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

  /** Lists the store in any case. A listing that has begun before may lack what has changed since. */
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
    // Before the list: a message that has a UID and is not listed does not exist any more.
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
      try {
        if (!this.#isFollowed) await this.#listAgain();
        const after =
          this.#entries
            .map(({ id }) => id)
            .toSorted()
            .at(-1) ?? "";
        for await (const change of mail.watchChanges({ after, signal })) {
          // A listing in progress is older than this change.
          await this.#listing?.catch(() => {});
          // What is listed now and what the watcher reports next leave no gap.
          if (change.kind === "reset") await this.#listAgain();
          else await this.#inTurn(() => this.#apply(change));
        }
      } catch (error) {
        if (signal.aborted) return;
        logger.warn("the mailbox of IMAP is read again", { error });
        this.#isFollowed = false;
        await sleep(clock, 1_000, signal, { background: true }).catch(() => {});
      }
    }
  }

  async #apply(change: Exclude<MailChange, { kind: "reset" }>): Promise<void> {
    if (change.kind === "stored") await this.#place(new Map([[change.summary.id, change.summary]]));
    else if (change.kind === "cleared") this.#remove(this.#entries);
    else if (change.kind === "marked") this.#mark(change.messages);
    else
      this.#remove(
        change.ids.flatMap((id) => {
          const entry = this.#byId.get(id);
          return entry === undefined ? [] : [entry];
        }),
      );
    this.#changed();
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

  /** Adds the messages whose UIDs were read. Returns their ids. What fails is done again by the next call. */
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
    if (surplus > 0) this.#remove(this.#entries.slice(0, surplus));
  }

  #remove(entries: readonly MailboxEntry[]): void {
    if (entries.length === 0) return;
    for (const entry of entries) {
      entry.gone = true;
      this.#byId.delete(entry.id);
    }
    this.#entries = this.#entries.filter(({ gone }) => !gone);
    this.#version++;
  }

  #mark(messages: readonly MarkedMessage[]): void {
    const version = this.#version + 1;
    for (const { id, read, tags } of messages) {
      const entry = this.#byId.get(id);
      if (entry === undefined || (entry.read === read && isSame(entry.tags, tags))) continue;
      Object.assign(entry, { read, tags, flagsVersion: version });
      this.#version = version;
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Messages that get their UIDs with one write. */
const numberedAtOnce = 100;

/** Keeps little of each of many summaries. */
function brief({ id, created, size, read, tags }: MailSummary): MailSummary {
  return { id, created, size, read, tags: tags.length === 0 ? noTags : tags } as MailSummary;
}

const noTags: readonly string[] = [];

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((tag, at) => tag === others[at]);
}
