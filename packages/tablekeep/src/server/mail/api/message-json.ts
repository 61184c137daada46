import {
  type ArrivedMessage,
  type DecodedMessage,
  type MailError,
  type MailMessage,
  type MailSummary,
  readHeaders,
} from "@tablekeep/mail";
import { count, listOf, objectOf, schemaNamed, text } from "../../http/openapi.ts";

const time = { type: "string", format: "date-time" };

/** The schemas that routes name. */
export const mailSchemas: Readonly<Record<string, object>> = {
  MailSummary: objectOf({
    id: text,
    created: time,
    expires: time,
    envelope: objectOf({ from: text, to: listOf(text), helo: text, user: text }),
    size: count,
    subject: text,
    from: text,
    to: text,
    preview: text,
    attachments: count,
    read: { type: "boolean" },
    tags: listOf(text),
    imported: { type: "boolean" },
  }),
};

/** The schema of `summaryJson`. */
export const summaryNamed: object = schemaNamed("MailSummary");

/** A message without its body. */
export function summaryJson(summary: MailSummary): object {
  const { id, created, expires, envelope, size, subject, headerFrom, headerTo, preview, attachments } =
    summary;
  const { read, tags } = summary;
  const { from, to, helo, user } = envelope;
  return {
    id,
    created: new Date(created).toISOString(),
    expires: new Date(expires * 1000).toISOString(),
    envelope: { from, to, helo, ...(user !== undefined && { user }) },
    size,
    subject,
    from: headerFrom,
    to: headerTo,
    preview,
    attachments,
    read,
    tags,
    ...(summary.imported !== undefined && { imported: true }),
  };
}

/** A message that has arrived: its summary, and the cursor after it. */
export function arrivedJson(message: ArrivedMessage): object {
  return { ...summaryJson(message), cursor: message.cursor };
}

/** A decoded message. Attachments are listed here and fetched separately. */
export function decodedJson(summary: MailSummary, decoded: DecodedMessage): object {
  const { subject, from, to, cc, replyTo, date, headers, text, html, attachments } = decoded;
  return {
    ...summaryJson(summary),
    subject,
    date,
    addresses: { from, to, cc, replyTo },
    headers,
    text,
    html,
    attachments: attachments.map(({ index, filename, type, inline, contentId, content }) => ({
      index,
      filename,
      type,
      inline,
      contentId,
      size: content.length,
    })),
  };
}

/** A message that could not be decoded: its summary, its headers, and the reason. */
export function undecodedJson(message: MailMessage, { code, message: error }: MailError): object {
  const none = { from: [], to: [], cc: [], replyTo: [] };
  const content = {
    addresses: none,
    headers: readHeaders(message.raw),
    text: "",
    html: "",
    attachments: [],
  };
  return { ...summaryJson(message), date: "", ...content, decodeError: { code, error } };
}
