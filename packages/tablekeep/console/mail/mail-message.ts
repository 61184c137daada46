import type { MailSummary } from "./mail-summary.ts";

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
  return inbox === "" ? "/api/v3/mail" : `/inbox/${encodeURIComponent(inbox)}/api/v3/mail`;
}

/** The API's path of a message. */
export function messagePath(inbox: string, id: string): string {
  return `${mailPath(inbox)}/messages/${encodeURIComponent(id)}`;
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
