import { flagList } from "../message/flags.ts";
import { inRanges, type NumberRange } from "../protocol/sequence-set.ts";
import type { ImapMailbox, MailboxEntry } from "./imap-mailbox.ts";
import type { UsedMailbox } from "./imap-mailboxes.ts";

/** An entry with its number in a session. */
export interface NumberedEntry {
  readonly number: number;
  readonly entry: MailboxEntry;
}

/** The mailbox as one session has seen it: numbers change only with a response that says so. */
export class SelectedView {
  readonly mailbox: ImapMailbox;
  readonly #release: () => void;
  #entries: MailboxEntry[];
  #version: number;
  /** The version whose flags the client has received. */
  #flagsVersion: number;

  constructor({ mailbox, release }: UsedMailbox) {
    this.mailbox = mailbox;
    this.#release = release;
    this.#entries = [...mailbox.entries];
    this.#version = mailbox.version;
    this.#flagsVersion = mailbox.version;
  }

  /** Ends the use of the mailbox. */
  close(): void {
    this.#release();
  }

  get size(): number {
    return this.#entries.length;
  }

  get lastUid(): number {
    return this.#entries.at(-1)?.uid ?? 0;
  }

  /** The number of the first message that was not read. */
  firstUnseen(): number | undefined {
    const at = this.#entries.findIndex(({ read }) => !read);
    return at < 0 ? undefined : at + 1;
  }

  /** The responses that report changes. Removed messages are reported only where the protocol allows it. */
  sync({ removals }: { readonly removals: boolean }): string[] {
    const { mailbox } = this;
    if (this.#version === mailbox.version) return [];
    const answers: string[] = [];
    if (removals && mailbox.removed > this.#version) {
      for (let at = this.#entries.length - 1; at >= 0; at--)
        if (this.#entries[at]?.gone) answers.push(`* ${at + 1} EXPUNGE\r\n`);
      this.#entries = this.#entries.filter(({ gone }) => !gone);
    }
    if (mailbox.marked > this.#flagsVersion) {
      for (const [at, entry] of this.#entries.entries())
        if (!entry.gone && entry.flagsVersion > this.#flagsVersion)
          answers.push(`* ${at + 1} FETCH (UID ${entry.uid} FLAGS ${flagList(entry)})\r\n`);
    }
    this.#flagsVersion = mailbox.version;
    if (this.#addNew() > 0) answers.push(`* ${this.#entries.length} EXISTS\r\n`);
    if (removals) this.#version = mailbox.version;
    return answers;
  }

  /** Adds the entries after the last one, and returns how many: both lists ascend by UID. */
  #addNew(): number {
    const { entries } = this.mailbox;
    const last = this.lastUid;
    let first = entries.length;
    while (first > 0 && (entries[first - 1]?.uid ?? 0) > last) first--;
    for (let at = first; at < entries.length; at++) this.#entries.push(entries[at] as MailboxEntry);
    return entries.length - first;
  }

  /** The messages of a set of numbers or UIDs, in order. */
  *chosen(ranges: readonly NumberRange[], by: "number" | "uid"): Generator<NumberedEntry> {
    for (const [at, entry] of this.#entries.entries()) {
      const value = by === "uid" ? entry.uid : at + 1;
      if (inRanges(ranges, value)) yield { number: at + 1, entry };
    }
  }

  *all(): Generator<NumberedEntry> {
    for (const [at, entry] of this.#entries.entries()) yield { number: at + 1, entry };
  }
}
