import type { Envelope, MailhogMessage } from "../mail.ts";
import { byteText, readable } from "./byte-text.ts";
import { rfc1123, rfc3339 } from "./mailhog-time.ts";
import { contentPieces, headersOf, isMultipart, mimeOf } from "./parse-content.ts";
import { parsePath } from "./parse-path.ts";

/** What a message in MailHog's shape is made of. */
export interface MailhogSource {
  readonly id: string;
  readonly envelope: Envelope;
  readonly raw: Uint8Array;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The name of the server, in `Received`. */
  readonly hostname: string;
  /** What `Message-ID` and `Received` call the message. @default the id */
  readonly messageId?: string;
}

/** A message as MailHog would have stored it, with the headers that it adds. */
export function mailhogMessage(source: MailhogSource): MailhogMessage {
  const { id, envelope, created } = source;
  const raw = withoutFinalLineEnd(source.raw);
  const data = byteText(raw);
  const text = readable(raw);
  const pieces = contentPieces(data);
  const Headers = withAddedHeaders(headersOf(pieces, text), source);
  return {
    ID: id,
    From: parsePath(envelope.from),
    To: envelope.to.length === 0 ? null : envelope.to.map(parsePath),
    Content: { Headers, Body: text(pieces.body), Size: data.length, MIME: null },
    Created: rfc3339(created),
    MIME: isMultipart(pieces) ? mimeOf(pieces, text) : null,
    Raw: {
      From: envelope.from,
      To: envelope.to.length === 0 ? null : envelope.to,
      Data: text(data),
      Helo: envelope.helo,
    },
  };
}

/** The line end before the final dot is SMTP's, and MailHog leaves it out. */
export function withoutFinalLineEnd(raw: Uint8Array): Uint8Array {
  const ends = raw.length >= 2 && raw[raw.length - 2] === 13 && raw[raw.length - 1] === 10;
  return ends ? raw.subarray(0, raw.length - 2) : raw;
}

type Headers = Record<string, string[]>;

/** The values that MailHog adds: Message-ID if there is none, Received and Return-Path behind those that are there. */
export function addedHeaders(source: Omit<MailhogSource, "raw">): Record<"id" | "received" | "path", string> {
  const { envelope, created, hostname } = source;
  const id = source.messageId ?? source.id;
  const received = `from ${envelope.helo} by ${hostname} (MailHog)\r\n          id ${id}; ${rfc1123(created)}`;
  return { id, received, path: `<${envelope.from}>` };
}

function withAddedHeaders(headers: Headers, source: MailhogSource): Headers {
  const added = addedHeaders(source);
  const named = (name: string) => Object.keys(headers).findLast((key) => key.toLowerCase() === name);
  if (named("message-id") === undefined) headers["Message-ID"] = [added.id];
  const append = (name: string, value: string) => {
    const key = named(name.toLowerCase()) ?? name;
    headers[key] = [...(headers[key] ?? []), value];
  };
  append("Received", added.received);
  append("Return-Path", added.path);
  return headers;
}
