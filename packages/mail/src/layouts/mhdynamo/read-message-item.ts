import type { AttributeValue, Item } from "@tablekeep/core";
import { shapeJson } from "../../mailhog/mailhog-json.ts";
import { mailhogMessage } from "../../mailhog/mailhog-message.ts";
import { cutText } from "../../mime/decode-text.ts";
import type { PartitionSpan } from "../../model/mail-options.ts";
import type { MailhogContent, MailhogMessage, MailhogMime, MailhogPath } from "../../model/mailhog-shape.ts";
import type { MailMessage, MailSummary } from "../../model/message.ts";
import { readOverview } from "../../search/overview.ts";
import { placeOfStorageId } from "./storage-id.ts";

type Value = AttributeValue | undefined;

/** Reads an item of the Go package or of this one; undefined for any other item. NULL is read as the empty value. */
export function readItem(item: Item, span: PartitionSpan): MailMessage | undefined {
  const id = item["ID"]?.S ?? "";
  const place = placeOfStorageId(id, span);
  const message = item["Msg"]?.M;
  const stored = message?.["Raw"]?.M;
  if (place === undefined || message === undefined || stored === undefined) return undefined;
  const raw = item["RawBytes"]?.B ?? rawOf(text(stored["Data"]));
  const envelope = { from: text(stored["From"]), to: texts(stored["To"]), helo: text(stored["Helo"]) };
  const { subject, headerFrom, headerTo, preview, attachments, tags } = readOverview(raw);
  const short = (value: string) => cutText(value, 500);
  const mailhog = () => {
    const read = readMessage(id, message);
    if (read.MIME !== null) return read;
    // Omitted if it did not fit into the item.
    const { MIME } = mailhogMessage({ id, envelope, raw, created: place.ms, hostname: "" });
    return { ...read, MIME };
  };
  return {
    id,
    created: place.ms,
    expires: Number(item["Expires"]?.N ?? 0),
    envelope,
    size: raw.length,
    subject: short(subject),
    headerFrom: short(headerFrom),
    headerTo: short(headerTo),
    preview,
    attachments,
    read: false,
    tags,
    raw,
    mailhog,
    mailhogText: () => {
      const { Headers, Body } = readContent(message["Content"]);
      return { headers: Headers, body: [Body] };
    },
    mailhogJson: (options) => shapeJson(mailhog(), options),
  };
}

/** Returns a message without its bytes. */
export function summaryOf(message: MailMessage): MailSummary {
  const { raw: _1, mailhog: _2, mailhogText: _3, mailhogJson: _4, ...summary } = message;
  return summary;
}

/** Returns the bytes of a message from its text, which lacks the line end before SMTP's final dot. */
export function rawOf(data: string): Uint8Array {
  return Buffer.from(data === "" ? "" : `${data}\r\n`);
}

function readMessage(id: string, message: Item): MailhogMessage {
  const raw = message["Raw"]?.M ?? {};
  return {
    ID: id,
    From: readPath(message["From"]),
    To: nullable(message["To"], readPath),
    Content: readContent(message["Content"]),
    Created: text(message["Created"]),
    MIME: readMime(message["MIME"]),
    Raw: {
      From: text(raw["From"]),
      To: nullable(raw["To"], text),
      Data: text(raw["Data"]),
      Helo: text(raw["Helo"]),
    },
  };
}

function readPath(value: Value): MailhogPath {
  const path = value?.M ?? {};
  return {
    Relays: nullable(path["Relays"], text),
    Mailbox: text(path["Mailbox"]),
    Domain: text(path["Domain"]),
    Params: text(path["Params"]),
  };
}

function readContent(value: Value): MailhogContent {
  const content = value?.M ?? {};
  const headers = Object.create(null) as Record<string, string[]>;
  for (const [name, values] of Object.entries(content["Headers"]?.M ?? {})) headers[name] = texts(values);
  return {
    Headers: headers,
    Body: text(content["Body"]),
    Size: Number(content["Size"]?.N ?? 0),
    MIME: readMime(content["MIME"]),
  };
}

function readMime(value: Value): MailhogMime | null {
  return value?.M === undefined ? null : { Parts: nullable(value.M["Parts"], readContent) };
}

function text(value: Value): string {
  return value?.S ?? "";
}

function texts(value: Value): string[] {
  return (value?.L ?? []).map(text);
}

function nullable<Read>(value: Value, one: (value: Value) => Read): Read[] | null {
  return value?.L === undefined ? null : value.L.map(one);
}
