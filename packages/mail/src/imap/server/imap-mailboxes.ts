import type { CallOptions, Clock, Logger } from "@tablekeep/core";
import type { UidLog } from "../uids/uid-log.ts";
import { type ImapMail, ImapMailbox } from "./imap-mailbox.ts";

/** A store, and the UIDs of its messages. */
export interface ImapStore {
  readonly mail: ImapMail;
  readonly uids: UidLog;
}

/** The named inboxes of a server, which are mailboxes below INBOX. */
export interface ImapInboxes {
  /** The inbox that is INBOX for a user, such as `shop` for `ann+shop`; undefined for the default one. Such a user sees no other. */
  ofUser(user: string): string | undefined;
  /** Whether this is the token of an inbox. */
  checkToken(inbox: string, token: string, call?: CallOptions): Promise<"none" | "right" | "wrong">;
  /** The names of the inboxes that users without their own inbox may read. */
  names(call?: CallOptions): Promise<readonly string[]>;
  /** Opens an inbox, whether or not it exists. */
  open(name: string, call?: CallOptions): Promise<ImapStore>;
}

/** A mailbox in use by a session. */
export interface UsedMailbox {
  readonly mailbox: ImapMailbox;
  /** Ends the use. Further calls do nothing. */
  release(): void;
}

export interface ImapMailboxesOptions extends ImapStore {
  readonly inboxes: ImapInboxes | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxMessages: number;
}

interface OpenMailbox {
  readonly mailbox: Promise<ImapMailbox>;
  users: number;
}

/**
 * The mailboxes of a server, each shared by all sessions that use it. The mailbox of the default inbox stays open. Mailboxes of named inboxes, of which there may
 * be thousands, are closed when no session uses them, because their watchers read the table.
 */
export class ImapMailboxes {
  readonly #options: ImapMailboxesOptions;
  readonly #default: ImapMailbox;
  readonly #named = new Map<string, OpenMailbox>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: ImapMailboxesOptions) {
    this.#options = options;
    this.#default = this.#mailboxOf(options);
  }

  /** The names of the inboxes that users without their own inbox may read. */
  async names(call: CallOptions): Promise<readonly string[]> {
    return (await this.#options.inboxes?.names(call)) ?? [];
  }

  /** The mailbox of an inbox, or of the default one. */
  async use(inbox: string | undefined): Promise<UsedMailbox> {
    if (inbox === undefined) return { mailbox: this.#default, release: () => {} };
    const opened = this.#named.get(inbox) ?? this.#open(inbox);
    opened.users++;
    let isUsed = true;
    const release = () => {
      if (isUsed && --opened.users === 0) this.#close(inbox, opened);
      isUsed = false;
    };
    try {
      return { mailbox: await opened.mailbox, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Call after the end of all sessions. */
  async close(): Promise<void> {
    await this.#default.close();
    await Promise.all(this.#closing);
  }

  /** Several sessions may wait for it: none of them aborts it. */
  #open(inbox: string): OpenMailbox {
    const { inboxes } = this.#options;
    if (inboxes === undefined) throw new TypeError("this server has no named inboxes");
    const mailbox = inboxes.open(inbox).then((store) => this.#mailboxOf(store));
    const opened = { mailbox, users: 0 };
    this.#named.set(inbox, opened);
    return opened;
  }

  #close(inbox: string, opened: OpenMailbox): void {
    this.#named.delete(inbox);
    const closing = opened.mailbox.then(
      (mailbox) => mailbox.close(),
      // Its waiting callers got the error.
      () => {},
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  #mailboxOf({ mail, uids }: ImapStore): ImapMailbox {
    const { clock, logger, maxMessages } = this.#options;
    return new ImapMailbox({ mail, uids, clock, logger, maxMessages });
  }
}
