import { type Clock, type Logger, sleep } from "@tablekeep/core";
import type { Mail, MailChange, MailSummary, MarkedMessage } from "../../model/mail.ts";

/** The part of a mail store that IMAP reads. */
export type ImapMail = Pick<Mail, "list" | "load" | "search" | "count" | "watchChanges">;

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
  readonly clock: Clock;
  readonly logger: Logger;
  /** Older messages are not shown. */
  readonly maxMessages: number;
}

/**
 * The messages of a store with their UIDs, for all sessions. UIDs are assigned in the order in which this process sees the messages,
 * and are valid while it runs: UIDVALIDITY is the time of its start. New messages, deletes and marks arrive by a watcher; what that does not
 * report, such as expired messages, is found when a client selects the mailbox.
 */
export class ImapMailbox {
  readonly validity: number;
  readonly #options: ImapMailboxOptions;
  readonly #byId = new Map<string, MailboxEntry>();
  readonly #listeners = new Set<() => void>();
  readonly #end = new AbortController();
  #entries: MailboxEntry[] = [];
  #nextUid = 1;
  #version = 0;
  #listing: Promise<void> | undefined;
  /** Whether the watcher reports every change since the last listing. */
  #isFollowed = false;
  #watching: Promise<void> | undefined;

  constructor(options: ImapMailboxOptions) {
    this.#options = options;
    this.validity = Math.max(1, Math.floor(options.clock.now() / 1000) % 2 ** 32);
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
    return this.#nextUid;
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
    this.#listing ??= this.#reconcile().finally(() => {
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

  /** Lists the store, unless the number of messages is the known one. */
  async #reconcile(): Promise<void> {
    const { mail, maxMessages } = this.#options;
    const { signal } = this.#end;
    if (this.#isFollowed && (await mail.count({ signal })) === this.#entries.length) return;
    const found: MailSummary[] = [];
    let cursor: string | undefined;
    do {
      const page = await mail.list({ limit: 250, cursor, signal });
      for (const summary of page.items) found.push(brief(summary));
      cursor = found.length >= maxMessages ? undefined : page.next;
    } while (cursor !== undefined);
    const present = new Set(found.map(({ id }) => id));
    this.#remove(this.#entries.filter(({ id }) => !present.has(id)));
    for (const summary of found.toReversed()) this.#add(summary);
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
          else this.#apply(change);
        }
      } catch (error) {
        if (signal.aborted) return;
        logger.warn("the mailbox of IMAP is read again", { error });
        this.#isFollowed = false;
        await sleep(clock, 1_000, signal, { background: true }).catch(() => {});
      }
    }
  }

  #apply(change: Exclude<MailChange, { kind: "reset" }>): void {
    if (change.kind === "stored") this.#add(change.summary);
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

  #add(summary: MailSummary): void {
    const { id } = summary;
    if (this.#byId.has(id)) return;
    const entry: MailboxEntry = { ...brief(summary), uid: this.#nextUid++, flagsVersion: 0, gone: false };
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

/** Keeps little of each of many summaries. */
function brief({ id, created, size, read, tags }: MailSummary): MailSummary {
  return { id, created, size, read, tags: tags.length === 0 ? noTags : tags } as MailSummary;
}

const noTags: readonly string[] = [];

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((tag, at) => tag === others[at]);
}
