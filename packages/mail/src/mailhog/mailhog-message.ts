import { isAscii } from "node:buffer";
import { byteChunks, byteText, EncodedText, type Readable, readable } from "../mime/byte-text.ts";
import { decodeTransferSteps } from "../mime/transfer-encoding.ts";
import { nextTurn } from "../model/background-work.ts";
import type {
  MailhogContent,
  MailhogJsonOptions,
  MailhogMessage,
  MailhogMime,
  MailhogPath,
  MailhogText,
} from "../model/mailhog-shape.ts";
import type { Envelope } from "../model/message.ts";
import { type MailhogShape, type ShapedContent, shapeJson } from "./mailhog-json.ts";
import {
  type ContentPieces,
  contentPieces,
  type MailhogOutline,
  outlineSteps,
  readOutline,
} from "./outline.ts";

/** The content of a message in MailHog's shape. */
export interface MailhogSource {
  readonly id: string;
  readonly envelope: Envelope;
  readonly raw: Uint8Array;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The name of the server, in `Received`. */
  readonly hostname: string;
  /** The id in `Message-ID` and `Received`. @default the id */
  readonly messageId?: string;
}

/** A message as MailHog would have stored it, with the headers that it adds, within {@link mailhogLimits}. */
export function mailhogMessage(source: MailhogSource): MailhogMessage {
  const data = byteText(withoutFinalLineEnd(source.raw));
  return decodeShape(shapeOf(source, data, readOutline(data)));
}

/** Headers and body as MailHog would have stored them, without its parts. Never creates a string as long as the message. */
export function mailhogText(source: MailhogSource): MailhogText {
  const raw = withoutFinalLineEnd(source.raw);
  const end = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).indexOf("\r\n\r\n", 0, "latin1");
  const bodyAt = end < 0 ? 0 : end + 4;
  const pieces = contentPieces(byteText(raw.subarray(0, bodyAt)));
  const headers = withAddedHeaders(headersOf(pieces, readable(raw.subarray(0, bodyAt))), source);
  return { headers, body: { [Symbol.iterator]: () => byteChunks(raw.subarray(bodyAt)) } };
}

/**
 * {@link mailhogMessage} as JSON, in chunks of at most about 64 Ki characters, some of them empty: between two of them a
 * caller can let other work run. Never creates a string as long as the message.
 */
export function* mailhogJson(
  source: MailhogSource,
  options?: MailhogJsonOptions,
): Generator<string, void, undefined> {
  const data = byteText(withoutFinalLineEnd(source.raw));
  yield "";
  const steps = outlineSteps(data);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return yield* shapeJson(shapeOf(source, data, value), options);
    yield "";
  }
}

/** A part at the top level of a message, as MailHog counts them, with its exact bytes. */
export interface MailhogPart {
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Its bytes, with base64 and quoted-printable decoded. */
  readonly content: Uint8Array;
}

/**
 * Returns the part with this index, as MailHog numbers parts; undefined if there is none. Reads large messages in several turns
 * of the event loop.
 *
 * @example
 * const part = await mailhogPart(message.raw, 0);
 * if (part !== undefined) await writeFile("part", part.content);
 */
export async function mailhogPart(raw: Uint8Array, number: number): Promise<MailhogPart | undefined> {
  const data = withoutFinalLineEnd(raw);
  const part = (await overTurns(outlineSteps(byteText(data)))).parts?.[number];
  if (part === undefined) return undefined;
  const encoding = [...part.headers].find(([name]) => name.toLowerCase() === "content-transfer-encoding");
  return {
    headers: headersOf(part, readable(data)),
    content: await overTurns(decodeTransferSteps(part.body, encoding?.[1] ?? "")),
  };
}

/** Runs each step in a separate turn of the event loop. */
async function overTurns<Result>(steps: Generator<undefined, Result, undefined>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

/** `data` is the byte text of the message without its final line end. */
function shapeOf(source: MailhogSource, data: string, outline: MailhogOutline): MailhogShape {
  const { id, envelope, created, raw } = source;
  const ascii = isAscii(raw);
  const encoded = (bytes: string) => new EncodedText(bytes, ascii);
  const read = readable(raw);
  const mime = ({ parts }: MailhogOutline) =>
    parts === undefined ? null : { Parts: parts === null ? null : parts.map(content) };
  const content = (part: MailhogOutline): ShapedContent => ({
    Headers: headersOf(part, read),
    Body: encoded(part.body),
    Size: part.size,
    MIME: mime(part),
  });
  const isForNobody = envelope.to.length === 0;
  return {
    ID: id,
    From: mailhogPath(envelope.from),
    To: isForNobody ? null : envelope.to.map(mailhogPath),
    Content: {
      Headers: withAddedHeaders(headersOf(outline, read), source),
      Body: encoded(outline.body),
      Size: outline.size,
      MIME: null,
    },
    Created: rfc3339(created),
    MIME: mime(outline),
    Raw: {
      From: envelope.from,
      To: isForNobody ? null : envelope.to,
      Data: encoded(data),
      Helo: envelope.helo,
    },
  };
}

function decodeShape({ Content, MIME, Raw, ...rest }: MailhogShape): MailhogMessage {
  const decoded = (text: string | EncodedText) => (typeof text === "string" ? text : text.decode());
  const mime = (shaped: ShapedContent["MIME"]): MailhogMime | null =>
    shaped && { Parts: shaped.Parts?.map(content) ?? null };
  const content = (part: ShapedContent): MailhogContent => ({
    Headers: part.Headers,
    Body: decoded(part.Body),
    Size: part.Size,
    MIME: mime(part.MIME),
  });
  const { ID, From, To, Created } = rest;
  const raw = { From: Raw.From, To: Raw.To, Data: decoded(Raw.Data), Helo: Raw.Helo };
  return { ID, From, To, Content: content(Content), Created, MIME: mime(MIME), Raw: raw };
}

/** Headers in MailHog's shape; without a prototype, because senders choose the names. */
function headersOf({ headers }: ContentPieces, read: Readable): Headers {
  const entries = Object.create(null) as Headers;
  for (const [name, value] of headers) entries[read(name)] = [read(value)];
  return entries;
}

/** Removes the line end before SMTP's final dot, as MailHog does. */
export function withoutFinalLineEnd(raw: Uint8Array): Uint8Array {
  const ends = raw.length >= 2 && raw[raw.length - 2] === 13 && raw[raw.length - 1] === 10;
  return ends ? raw.subarray(0, raw.length - 2) : raw;
}

type Headers = Record<string, string[]>;

/** The values that MailHog adds: Message-ID if there is none, Received and Return-Path after existing ones. */
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

/** An address of the envelope as MailHog splits it: at the first colon, then at the first "@". */
export function mailhogPath(path: string): MailhogPath {
  const colon = path.indexOf(":");
  const address = path.slice(colon + 1);
  const at = address.indexOf("@");
  return {
    Relays: colon < 0 ? null : path.slice(0, colon).split(","),
    Mailbox: at < 0 ? address : address.slice(0, at),
    Domain: at < 0 ? "" : address.slice(at + 1),
    Params: "",
  };
}

/** The address of a path as MailHog searches it: with its "@", even without a domain. */
export function mailhogAddress(path: string): string {
  const { Mailbox, Domain } = mailhogPath(path);
  return `${Mailbox}@${Domain}`;
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** RFC 3339 in UTC, fractions without trailing zeros, as Go writes it. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0*Z$/, "Z");
}

/** The date that was asked for last: many messages are stored in the same second. */
let lastDate = { second: Number.NaN, text: "" };

/** "Sun, 15 Nov 2026 02:11:38 +0000". */
export function rfc1123(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastDate.second) lastDate = { second, text: formatDate(ms) };
  return lastDate.text;
}

function formatDate(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${days[date.getUTCDay()]}, ${two(date.getUTCDate())} ${months[date.getUTCMonth()]}`;
  return `${day} ${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)} +0000`;
}
