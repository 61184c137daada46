/** An address as people read it. */
export interface DecodedAddress {
  readonly name: string;
  readonly address: string;
}

/** A part that is not the text of a message. */
export interface DecodedAttachment {
  /** Its place among the attachments, from 0. */
  readonly index: number;
  /** As the sender calls it: never use it as a path. "" if it has none. */
  readonly filename: string;
  /** In lower case; "application/octet-stream" if the sender gives none. */
  readonly type: string;
  /** Whether the text shows it, as an image does. */
  readonly inline: boolean;
  /** Without brackets; "" if it has none. */
  readonly contentId: string;
  readonly content: Uint8Array;
}

/** A message as people read it: transfer encodings and charsets undone. */
export interface DecodedMessage {
  readonly subject: string;
  readonly from: readonly DecodedAddress[];
  readonly to: readonly DecodedAddress[];
  readonly cc: readonly DecodedAddress[];
  readonly replyTo: readonly DecodedAddress[];
  /** As the sender gives it; "" if it does not. */
  readonly date: string;
  /** In order, duplicates kept; names as sent. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** "" if there is none. */
  readonly text: string;
  /** As it was sent, "" if there is none: show it only where it can do no harm. */
  readonly html: string;
  readonly attachments: readonly DecodedAttachment[];
}
