import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import type { Clock, Logger } from "@tablekeep/core";
import type { ImapLimits } from "../imap-limits.ts";
import type { AnswerPiece } from "../protocol/imap-format.ts";
import type { ImapInput } from "../protocol/imap-input.ts";
import type { ImapInboxes, ImapMailboxes } from "./imap-mailboxes.ts";
import type { SelectedView } from "./selected-view.ts";

/** Whether a user at this address has this password. */
export type ImapPasswordCheck = (user: string, password: string, address: string) => Promise<boolean>;

/** Shared by all sessions of a server. */
export interface ImapSessionContext {
  readonly mailboxes: ImapMailboxes;
  readonly inboxes: ImapInboxes | undefined;
  readonly checkPassword: ImapPasswordCheck | undefined;
  readonly secureContext: SecureContext | undefined;
  readonly limits: ImapLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
}

/** A command that is answered with NO: it is valid, and cannot be performed. */
export class ImapRefusal extends Error {}

/** A session as commands see it. */
export interface ImapSessionState {
  readonly context: ImapSessionContext;
  /** Aborted when the client disconnects, or the server stops. */
  readonly signal: AbortSignal;
  readonly address: string;
  readonly input: ImapInput;
  readonly stream: Duplex;
  readonly secure: boolean;
  user: string | undefined;
  /** The inbox that the user has chosen by its name, and to which the session is limited; undefined for the default one, and all others. */
  inbox: string | undefined;
  /** The selected mailbox. */
  readonly view: SelectedView | undefined;
  failedSignIns: number;
  /** Set by LOGOUT, and when the session cannot continue. */
  closing: boolean;
  /** Selects a mailbox, or none. Ends the use of the previous one. */
  select(view: SelectedView | undefined): void;
  /** The current capabilities of the server. */
  capabilities(): string;
  /** With users and a certificate, passwords are accepted under TLS only. */
  mayUsePasswords(): boolean;
  /** Writes a response. Waits while the client does not read. */
  write(pieces: readonly AnswerPiece[]): Promise<void>;
}
