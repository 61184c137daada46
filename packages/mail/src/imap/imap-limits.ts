/** Limits of an IMAP server. */
export interface ImapLimits {
  /** Concurrent sessions. Further connections get BYE. @default 100 */
  readonly sessions: number;
  /** Bytes of one line. @default 16,384 */
  readonly lineBytes: number;
  /** Bytes of one command with its literals. @default 65,536 */
  readonly commandBytes: number;
  /** Messages of a mailbox. Older ones are not shown. @default 100,000 */
  readonly messages: number;
  /** Commands answered with BAD or NO, without one answered with OK in between. @default 50 */
  readonly faults: number;
  /** Failed sign-ins. @default 5 */
  readonly failedSignIns: number;
  /** Milliseconds until a client must have signed in. @default 60,000 */
  readonly signInMs: number;
  /** Milliseconds that a client may be silent. RFC 3501 requires at least 30 minutes. @default 1,860,000 */
  readonly idleMs: number;
  /** Milliseconds that a client may leave responses unread. @default 60,000 */
  readonly writeMs: number;
}

export const defaultImapLimits: ImapLimits = {
  sessions: 100,
  lineBytes: 16_384,
  commandBytes: 65_536,
  messages: 100_000,
  faults: 50,
  failedSignIns: 5,
  signInMs: 60_000,
  idleMs: 31 * 60_000,
  writeMs: 60_000,
};
