/** What one SMTP session may ask for. */
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
  /** Commands refused for good (5xx) without a stored message in between. @default 100 */
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
