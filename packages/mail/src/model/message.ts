import type { CallOptions } from "@tablekeep/core";
import type { MailhogJsonOptions, MailhogMessage, MailhogText } from "./mailhog-shape.ts";

/** Sender and recipients as given in SMTP. */
export interface Envelope {
  /** The reverse path without brackets, as it was sent; "" for a null sender. */
  readonly from: string;
  /** The forward paths without brackets, in the order sent, duplicates kept. */
  readonly to: readonly string[];
  /** The name of HELO or EHLO. */
  readonly helo: string;
  /** The authenticated user. @default none */
  readonly user?: string;
}

/** A message without its body. */
export interface MailSummary {
  /** Opaque. Ids of one store sort by time as strings. */
  readonly id: string;
  /** Milliseconds since 1970 at which the message was complete. */
  readonly created: number;
  /** The second since 1970 at which the message expires. */
  readonly expires: number;
  readonly envelope: Envelope;
  /** Bytes of the message as it was received. */
  readonly size: number;
  /** Decoded, at most 500 characters. */
  readonly subject: string;
  /** The header `From`, decoded, at most 500 characters. */
  readonly headerFrom: string;
  /** The header `To`, decoded, at most 500 characters. */
  readonly headerTo: string;
  /** The first line of the text, decoded, at most 200 characters. */
  readonly preview: string;
  /** Number of parts that are probably attachments. */
  readonly attachments: number;
  /** Whether the message was marked as read. Loading it does not mark it. */
  readonly read: boolean;
  /** In order: those of the header `X-Tags`, and those that `mail.mark` added. */
  readonly tags: readonly string[];
  /** The position of an imported message in the order of announcement: its id has the time at which it was received elsewhere. @default not imported */
  readonly imported?: string;
}

/** What to change in messages. At most one of the three changes of tags. */
export interface MailMarks {
  /** Whether the messages are read. @default unchanged */
  readonly read?: boolean;
  /** The new tags, instead of all others. @default unchanged */
  readonly tags?: readonly string[];
  /** Tags to add. What others add or remove at the same time is kept. @default none */
  readonly addTags?: readonly string[];
  /** Tags to remove. What others add or remove at the same time is kept. @default none */
  readonly removeTags?: readonly string[];
}

/** The marks of a message after a change. */
export type MarkedMessage = Pick<MailSummary, "id" | "read" | "tags">;

/** A message that is stored durably. */
export type StoredMessage = MailSummary;

/** A message with its bytes. */
export interface MailMessage extends MailSummary {
  /** The bytes exactly as received. */
  readonly raw: Uint8Array;
  /**
   * Returns the message in MailHog's shape, within limits: see `docs/reference/mail.md`. Computed at each call.
   *
   * @example
   * const { From, Content } = message.mailhog();
   */
  mailhog(): MailhogMessage;
  /**
   * Returns headers and body as MailHog splits them, without parts. Computed at each call.
   *
   * @example
   * for (const chunk of message.mailhogText().body) process.stdout.write(chunk);
   */
  mailhogText(): MailhogText;
  /**
   * {@link mailhog} as Go writes it as JSON, in chunks of at most about 64 Ki characters, some of them empty. Let the
   * event loop run between chunks: a large message takes long in total.
   *
   * @example
   * await pipeline(Readable.from(message.mailhogJson()), response);
   */
  mailhogJson(options?: MailhogJsonOptions): Iterable<string>;
}

/** Where a message comes from that was received elsewhere. */
export interface OriginalMessage {
  /** Milliseconds since 1970 at which it was received; not in the future. */
  readonly created: number;
  /** Identifies it among those of this millisecond: its id in another store, or a digest. */
  readonly key: string;
  /** Its position among messages of the same millisecond, from 0 to 1,000,000. @default 0 */
  readonly position?: number;
  /** Whether it was read there. @default false */
  readonly read?: boolean;
  /** Its tags there, instead of those of the header `X-Tags`. @default those of the header */
  readonly tags?: readonly string[];
}

/** A message in flight. Write its bytes, then finish or discard it. */
export interface IncomingMessage {
  /** A name for logs; the id of the stored message once {@link finish} has resolved. */
  readonly id: string;
  /** The named inbox that it is stored in; undefined for the default inbox, and while none is chosen. */
  readonly inbox?: string;
  /**
   * Adds the next bytes, without dot stuffing. Resolves when more may be written: chunks are stored meanwhile.
   * Rejects with `MAIL_MESSAGE_TOO_LARGE` if there are too many bytes; only {@link discard} remains then.
   *
   * @example
   * for await (const bytes of stream) await incoming.write(bytes);
   */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Resolves once the message is durable and visible, and rejects with the reason otherwise: see `MailErrorDetails`.
   * If the error is `ambiguous`, the message may be stored.
   *
   * @example
   * const { id } = await incoming.finish();
   */
  finish(options?: CallOptions): Promise<StoredMessage>;
  /**
   * Removes what was written so far, as far as possible. Never rejects; anything left over expires. Does nothing
   * once {@link finish} has been called.
   *
   * @example
   * await incoming.discard();
   */
  discard(): Promise<void>;
}
