import type { SmtpLimits } from "../smtp-limits.ts";
import type { InputBuffer } from "./input-lines.ts";
import { replies, type SmtpReply } from "./replies.ts";
import type { SmtpSteps } from "./smtp-step.ts";

/** How clients may authenticate. */
export interface SignInRules {
  /** What AUTH offers. */
  readonly mechanisms: readonly ("PLAIN" | "LOGIN" | "CRAM-MD5")[];
  /** Whether clients must authenticate before a message. If they must, EXTERNAL is rejected, because it proves nothing. */
  readonly required: boolean;
  /** Whether passwords are accepted without TLS. */
  readonly withoutTls: boolean;
  /** A fresh challenge for CRAM-MD5. */
  readonly challenge: () => string;
}

/** Random rejections, to test how clients handle them. */
export interface SmtpChaos {
  /** `user` is the authenticated one, if any. */
  rejectsSender(user?: string): boolean;
  rejectsRecipient(user?: string, address?: string): boolean;
  rejectsSignIn(): boolean;
}

/** Options of a dialogue. */
export interface SmtpSessionOptions {
  /** The server's own name. */
  readonly hostname: string;
  /** The software name after `ESMTP` in the greeting. */
  readonly software: string;
  readonly limits: SmtpLimits;
  readonly signIn: SignInRules;
  /** Whether STARTTLS is offered. */
  readonly startTls: boolean;
  /** Whether the connection began with TLS. */
  readonly secure: boolean;
  readonly chaos?: SmtpChaos;
  /** Enforce RFC 5321, instead of accepting what MailHog and sloppy senders do. @default false */
  readonly strict?: boolean;
  /** The reply that rejects a recipient; undefined accepts it. @default all are accepted */
  readonly rejectRecipient?: (address: string) => SmtpReply | undefined;
}

/** A message that was announced by MAIL. */
export interface Draft {
  readonly from: string;
  readonly to: string[];
  rejectedRecipients: number;
  /** Whether MAIL had the parameter SMTPUTF8. */
  readonly utf8: boolean;
  /** Whether MAIL announced a message with characters that are not ASCII. */
  readonly eightBit: boolean;
}

/** The state of a dialogue. */
export interface SmtpSession {
  readonly options: SmtpSessionOptions;
  readonly input: InputBuffer;
  /** The client's name; undefined before HELO or EHLO. */
  helo: string | undefined;
  /** Whether the client said EHLO. */
  extended: boolean;
  secure: boolean;
  user: string | undefined;
  draft: Draft | undefined;
  /** Commands since the last stored message. */
  commands: number;
  /** Commands answered with 5xx since the last stored message. */
  faults: number;
  failedSignIns: number;
  /** The last command, if a client that ignores a negative reply to it continues with confidential lines. */
  confidential: "AUTH" | "DATA" | undefined;
  closed: boolean;
}

export function newSession(options: SmtpSessionOptions, input: InputBuffer): SmtpSession {
  return {
    options,
    input,
    helo: undefined,
    extended: false,
    secure: options.secure,
    user: undefined,
    draft: undefined,
    commands: 0,
    faults: 0,
    failedSignIns: 0,
    confidential: undefined,
    closed: false,
  };
}

/**
 * Sends a reply. A 5xx counts as a fault of the client; after too many faults the session ends. A 4xx, such as for too many
 * recipients or a busy store, does not count.
 */
export function* reply(session: SmtpSession, answer: SmtpReply): SmtpSteps {
  yield { kind: "reply", reply: answer };
  if (answer.code < 500 || session.closed) return;
  session.faults++;
  if (session.faults >= session.options.limits.faults) yield* closeWith(session, replies.tooManyFaults);
}

/** Sends a last reply and ends the session. */
export function* closeWith(session: SmtpSession, answer: SmtpReply): SmtpSteps {
  session.closed = true;
  yield { kind: "reply", reply: answer };
}

/** Resets the counters after a stored message. */
export function resetCounts(session: SmtpSession): void {
  session.commands = 0;
  session.faults = 0;
}
