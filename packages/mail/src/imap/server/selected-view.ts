import { flagList } from "../message/flags.ts";
import type { NumberRange } from "../protocol/sequence-set.ts";
import type { ImapMailbox, MailboxEntry } from "./imap-mailbox.ts";

/** An entry with its number in a session. */
export interface NumberedEntry {
  readonly number: number;
  readonly entry: MailboxEntry;
}

/** The mailbox as one session has seen it: numbers change only with a response that says so. */
export class SelectedView {
  readonly #mailbox: ImapMailbox;
  #entries: MailboxEntry[];
  #version: number;
  /** The version whose flags the client has. */
  #flagsVersion: number;

  constructor(mailbox: ImapMailbox) {
    this.#mailbox = mailbox;
    this.#entries = [...mailbox.entries];
    this.#version = mailbox.version;
    this.#flagsVersion = mailbox.version;
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

  /** The answers that report what has changed. Removed messages are reported only where the protocol allows it. */
  sync({ removals }: { readonly removals: boolean }): string[] {
    if (this.#version === this.#mailbox.version) return [];
    const answers: string[] = [];
    if (removals) {
      for (let at = this.#entries.length - 1; at >= 0; at--)
        if (this.#entries[at]?.gone) answers.push(`* ${at + 1} EXPUNGE\r\n`);
      this.#entries = this.#entries.filter(({ gone }) => !gone);
    }
    for (const [at, { uid, gone, flagsVersion, ...marks }] of this.#entries.entries())
      if (!gone && flagsVersion > this.#flagsVersion)
        answers.push(`* ${at + 1} FETCH (UID ${uid} FLAGS ${flagList(marks)})\r\n`);
    this.#flagsVersion = this.#mailbox.version;
    const last = this.lastUid;
    const added = this.#mailbox.entries.filter(({ uid }) => uid > last);
    for (const entry of added) this.#entries.push(entry);
    if (added.length > 0) answers.push(`* ${this.#entries.length} EXISTS\r\n`);
    if (removals) this.#version = this.#mailbox.version;
    return answers;
  }

  /** The messages of a set of numbers or UIDs, in order. */
  *chosen(ranges: readonly NumberRange[], by: "number" | "uid"): Generator<NumberedEntry> {
    for (const [at, entry] of this.#entries.entries()) {
      const value = by === "uid" ? entry.uid : at + 1;
      if (ranges.some(({ from, to }) => value >= from && value <= to)) yield { number: at + 1, entry };
    }
  }

  *all(): Generator<NumberedEntry> {
    for (const [at, entry] of this.#entries.entries()) yield { number: at + 1, entry };
  }
}
