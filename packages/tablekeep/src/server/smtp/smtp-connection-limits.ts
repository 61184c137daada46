/** How long and how many: what keeps slow or countless clients from wearing the SMTP listener out. */
export interface SmtpConnectionLimits {
  /** Sessions at the same time; one more is asked to come later. @default 500 */
  readonly sessions: number;
  /** Milliseconds that a client may say nothing, take for a command, or not read what it is told. @default 300,000 */
  readonly idleMs: number;
  /** Milliseconds for one message, from DATA to its end. @default 600,000 */
  readonly messageMs: number;
  /** Milliseconds for the handshake of TLS. @default 30,000 */
  readonly handshakeMs: number;
}

export const defaultSmtpConnectionLimits: SmtpConnectionLimits = {
  sessions: 500,
  idleMs: 5 * 60_000,
  messageMs: 10 * 60_000,
  handshakeMs: 30_000,
};
