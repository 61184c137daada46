import { pathPart } from "../api/path-part.ts";
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

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

export interface MailAttachment {
  readonly index: number;
  readonly filename: string;
  readonly type: string;
  readonly inline: boolean;
  readonly size: number;
}

/** A message as the server decodes it. */
export interface MailMessage extends Omit<MailSummary, "attachments"> {
  readonly addresses: Readonly<Record<"from" | "to" | "cc" | "replyTo", readonly MailAddress[]>>;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly MailAttachment[];
  /** Why the message could not be decoded: only its headers and its source can be shown. */
  readonly decodeError?: { readonly code: string; readonly error: string };
}

/** The API's path of the mail of an inbox. */
export function mailPath(inbox: string): string {
  return inbox === "" ? "/api/v3/mail" : `/inbox/${pathPart(inbox)}/api/v3/mail`;
}

/** The API's path of a message. */
export function messagePath(inbox: string, id: string): string {
  return `${mailPath(inbox)}/messages/${pathPart(id)}`;
}

/** Addresses as people write them. */
export function addressText(addresses: readonly MailAddress[]): string {
  return addresses.map(({ name, address }) => (name === "" ? address : `${name} <${address}>`)).join(", ");
}

/** The name in a header `From`, or the whole value if it has no name. */
export function senderName(from: string): string {
  const name = /^\s*"?([^"<>]*?)"?\s*<[^<>]*>\s*$/.exec(from)?.[1] ?? "";
  return name === "" ? from : name;
}
