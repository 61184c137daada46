import type { SecureContext } from "node:tls";
import type { CallOptions, Clock, Logger } from "@tablekeep/core";
import type { Envelope, IncomingMessage } from "../../model/message.ts";
import type { Chaos } from "../chaos.ts";
import type { SmtpReply } from "../dialogue/replies.ts";
import type { SignInRules } from "../dialogue/smtp-state.ts";
import type { SignIn } from "../dialogue/smtp-step.ts";
import type { SmtpConnectionLimits, SmtpLimits } from "../smtp-limits.ts";

/** The connection that a message arrives on. */
export interface SmtpPeer {
  /** The address of the client. */
  readonly address: string;
  /** The port of the server. */
  readonly port: number;
}

/** What is known of a message when its sender or a recipient is accepted. */
export interface UnfinishedMessage {
  /** The authenticated user, if any. */
  readonly user: string | undefined;
  /** The recipient that is about to be accepted; none for a sender. */
  readonly to: readonly string[];
  readonly peer: SmtpPeer;
}

/** Receives messages: a mail store, or what decides between several. */
export interface MailReceiver {
  receive(envelope: Envelope, options?: CallOptions, peer?: SmtpPeer): IncomingMessage;
}

/** How clients authenticate. */
export interface Authentication {
  readonly rules: SignInRules;
  /** Whether these credentials are accepted from a client at this address. */
  check(signIn: SignIn, address: string): Promise<boolean>;
}

/** Called for each message stored and each negative reply. */
export interface SmtpObserver {
  /** A message is stored. Its 250 follows. */
  onStored(): void;
  /** A sender, a recipient, a message or a connection is rejected with this reply code. */
  onRejected(code: number): void;
}

/** What all sessions of a server have in common. */
export interface SmtpSessionContext {
  readonly hostname: string;
  readonly receiver: MailReceiver;
  readonly authentication: Authentication;
  readonly secureContext: SecureContext | undefined;
  /** Whether connections begin with TLS. Otherwise it is offered if there is a certificate. */
  readonly implicitTls: boolean;
  /** Whether to enforce RFC 5321. */
  readonly strict: boolean;
  readonly limits: SmtpLimits & SmtpConnectionLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when the server stops waiting for sessions. */
  readonly signal: AbortSignal;
  readonly observer: SmtpObserver;
  /** The reply that rejects a recipient; undefined accepts it. */
  readonly rejectRecipient: ((address: string) => SmtpReply | undefined) | undefined;
  /** Further faults for a message. @default none */
  readonly chaosOf?: (message: UnfinishedMessage) => Chaos | undefined;
}
