import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import type { Clock, Logger } from "@tablekeep/core";
import type { ImapLimits } from "../imap-limits.ts";
import type { AnswerPiece } from "../protocol/imap-format.ts";
import type { ImapInput } from "../protocol/imap-input.ts";
import type { ImapMail, ImapMailbox } from "./imap-mailbox.ts";
import type { SelectedView } from "./selected-view.ts";

/** Whether a user at this address has this password. */
export type ImapPasswordCheck = (user: string, password: string, address: string) => Promise<boolean>;

/** What all sessions of a server have in common. */
export interface ImapSessionContext {
  readonly mail: ImapMail;
  readonly mailbox: ImapMailbox;
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
  view: SelectedView | undefined;
  failedSignIns: number;
  /** Set by LOGOUT, and when the session cannot continue. */
  closing: boolean;
  /** What the server offers now. */
  capabilities(): string;
  /** With users and a certificate, passwords are accepted under TLS only. */
  mayUsePasswords(): boolean;
  /** Writes an answer. Waits while the client does not read. */
  write(pieces: readonly AnswerPiece[]): Promise<void>;
}
