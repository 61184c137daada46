import addressParser from "nodemailer/lib/addressparser";
import MailComposer from "nodemailer/lib/mail-composer";

/** A file that is attached to a message. */
export interface AttachedFile {
  readonly content: Buffer;
  readonly fileName?: string;
  /** @default by the name */
  readonly contentType?: string;
  /** Without brackets; HTML refers to it as `cid:…`. @default none */
  readonly contentId?: string;
  /** Whether the file is shown in the HTML instead of listed. @default false */
  readonly inline?: boolean;
}

/** The content of a message that is still to be written as MIME. */
export interface MessageContent {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers: readonly HeaderValue[];
  readonly attachments: readonly AttachedFile[];
}

/** A header field. */
export interface HeaderValue {
  readonly name: string;
  readonly value: string;
}

/** A request that cannot become a message. The message says why. */
export class ContentError extends Error {
  override get name(): string {
    return "ContentError";
  }
}

/** Writes a message as MIME, with CR LF. Bcc is never written. */
export async function composeMessage(content: MessageContent): Promise<Buffer> {
  const { from, to, cc, replyTo, subject, text, html, headers, attachments } = content;
  for (const header of headers) checkHeader(header);
  const composer = new MailComposer({
    from,
    to: [...to],
    cc: [...cc],
    replyTo: [...replyTo],
    subject,
    text: text ?? (html === undefined ? "" : undefined),
    html,
    headers: headers.map(({ name, value }) => ({ key: name, value })),
    attachments: attachments.map((file) => ({
      content: file.content,
      filename: file.fileName ?? false,
      contentType: file.contentType,
      cid: file.contentId,
      contentDisposition: file.inline ? "inline" : "attachment",
    })),
    newline: "windows",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Fields that are written separately, or that would change how the message is read. */
const ownFields =
  /^(?:from|sender|to|cc|bcc|reply-to|subject|mime-version|content-(?:type|transfer-encoding|disposition|id))$/i;

function checkHeader({ name, value }: HeaderValue): void {
  if (!/^[!-9;-~]{1,126}$/.test(name)) throw new ContentError(`invalid header name ${JSON.stringify(name)}`);
  if (ownFields.test(name)) throw new ContentError(`header ${name} cannot be set`);
  if (/[\0\r\n]/.test(value) || value.length > 10_000)
    throw new ContentError(`invalid value for header ${name}`);
}

/** The longest line that SMTP accepts. */
const maxAddressBytes = 512;

/** The bare addresses of `Name <name@example.com>` and of lists of them. Throws for anything that is not an address. */
export function bareAddresses(values: readonly string[]): string[] {
  return values.flatMap((value) => {
    const found = /[\p{Cc}]/u.test(value) ? [] : addressParser(value, { flatten: true });
    const addresses = found.map(({ address }) => address);
    if (addresses.length === 0 || !addresses.every(isAddress))
      throw new ContentError(`invalid address ${JSON.stringify(value.slice(0, 200))}`);
    return addresses;
  });
}

function isAddress(address: string): boolean {
  return /^[^\s<>,;]+@[^\s<>,;@]+$/.test(address) && Buffer.byteLength(address) <= maxAddressBytes;
}
