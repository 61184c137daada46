/** Told of what becomes of messages. */
export interface SmtpWatch {
  /** A message is stored, and its sender is about to be told. */
  onStored(): void;
  /** A client is told no: a sender, a recipient, a message or the connection was refused. */
  onRefused(code: number): void;
}
