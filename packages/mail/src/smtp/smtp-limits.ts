/** Limits of one SMTP session. */
export interface SmtpLimits {
  /** Bytes of one message, and what `SIZE` announces. @default 52,428,800 */
  readonly messageBytes: number;
  /** Bytes of one command line with its CR LF. @default 4,096 */
  readonly commandLineBytes: number;
  /** Bytes of one line of a message. @default 1,048,576 */
  readonly dataLineBytes: number;
  /** Bytes of one address. @default 512 */
  readonly addressBytes: number;
  /** Recipients of one message. @default 1,000 */
  readonly recipients: number;
  /** Commands without a stored message in between. @default 10,000 */
  readonly commands: number;
  /** Commands answered with 5xx without a stored message in between. @default 100 */
  readonly faults: number;
  /** Failed sign-ins. @default 5 */
  readonly failedSignIns: number;
}

export const defaultSmtpLimits: SmtpLimits = {
  messageBytes: 50 * 1024 * 1024,
  commandLineBytes: 4_096,
  dataLineBytes: 1024 * 1024,
  addressBytes: 512,
  recipients: 1_000,
  commands: 10_000,
  faults: 100,
  failedSignIns: 5,
};

/** Limits that protect an SMTP server from slow clients and from too many of them. */
export interface SmtpConnectionLimits {
  /** Concurrent sessions. Further connections get 421. @default 500 */
  readonly sessions: number;
  /** Milliseconds that a client may be silent, take for one command, or leave replies unread. @default 300,000 */
  readonly idleMs: number;
  /** Milliseconds for one message, from DATA to its end. @default 600,000 */
  readonly messageMs: number;
  /** Milliseconds for the TLS handshake. @default 30,000 */
  readonly handshakeMs: number;
}

export const defaultSmtpConnectionLimits: SmtpConnectionLimits = {
  sessions: 500,
  idleMs: 5 * 60_000,
  messageMs: 10 * 60_000,
  handshakeMs: 30_000,
};
