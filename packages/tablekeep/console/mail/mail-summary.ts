/** A message as shown in the list. */
export interface MailSummary {
  readonly id: string;
  /** ISO 8601. */
  readonly created: string;
  readonly envelope: { readonly from: string; readonly to: readonly string[]; readonly helo: string };
  readonly size: number;
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly preview: string;
  readonly attachments: number;
  readonly read: boolean;
  readonly tags: readonly string[];
  /** Whether it was received elsewhere, at `created`. */
  readonly imported?: boolean;
}

/** The marks of a message as the server reports them. */
export type MailMarks = Pick<MailSummary, "id" | "read" | "tags">;
