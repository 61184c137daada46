import type { CallOptions } from "@tablekeep/core";
import type { Envelope, IncomingMessage } from "../../model/mail.ts";

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
