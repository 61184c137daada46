/** The transcript of an SMTP session. */
export interface SmtpSession {
  readonly id: string;
  /** Address and port of the client. */
  readonly client: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** Milliseconds since 1970; undefined while active. */
  readonly ended?: number;
  readonly ending?: string;
  readonly secure: boolean;
  /** Ids of the messages that it left. */
  readonly stored: readonly string[];
  /** The named inboxes of these messages, by id. */
  readonly inboxes: Readonly<Record<string, string>>;
  /** Messages that were begun and not stored. */
  readonly failed: number;
}

export interface SmtpTranscript extends SmtpSession {
  readonly lines: readonly { readonly at: number; readonly by: ">" | "<" | "*"; readonly text: string }[];
  /** Lines in the middle that were not kept. */
  readonly leftOut: number;
}

/** The result of a session in a few words, and whether it is a success. */
export function sessionResult({ stored, failed, ended }: SmtpSession): {
  readonly text: string;
  readonly kind: "good" | "bad" | "warn" | "";
} {
  if (failed > 0) return { text: `${failed} failed`, kind: "bad" };
  if (stored.length > 0) return { text: `${stored.length} stored`, kind: "good" };
  if (ended === undefined) return { text: "active", kind: "" };
  return { text: "no message", kind: "warn" };
}
