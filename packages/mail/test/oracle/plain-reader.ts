import type { Envelope, MailSearch } from "../../src/index.ts";

/**
 * Reads and matches messages as the documentation says, in the plainest way, and shares no code with the store. What the
 * store finds by its indexes must be what this finds by reading everything.
 */

/** A message as a test remembers it. */
export interface Remembered {
  readonly id: string;
  readonly created: number;
  readonly envelope: Envelope;
  readonly raw: Buffer;
}

/** All texts that a search of one kind matches against. */
export function textsFor(kind: MailSearch["kind"], message: Remembered): string[] {
  const { envelope, raw } = message;
  switch (kind) {
    case "from":
      return [mailhogPath(envelope.from), ...(mailhogView(message).headers.get("From") ?? [])];
    case "to":
      return [...envelope.to.map(mailhogPath), ...(mailhogView(message).headers.get("To") ?? [])];
    case "containing": {
      const { headers, body } = mailhogView(message);
      return [body, ...[...headers.values()].flat()];
    }
    case "text": {
      const { subjects, named, texts } = humanView(raw);
      return [...subjects, ...["from", "to", "cc", "bcc"].map(named), ...texts];
    }
    case "sender":
      return [envelope.from, ...addresses(humanView(raw).named("from"))];
    case "recipient": {
      const { named } = humanView(raw);
      return [...envelope.to, ...["to", "cc", "bcc"].flatMap((name) => addresses(named(name)))];
    }
  }
}

/** The texts of messages in one case, by kind of search: many searches are compared with each message. */
const folded = new WeakMap<Remembered, Map<MailSearch["kind"], readonly string[]>>();

function foldedTexts(kind: MailSearch["kind"], message: Remembered): readonly string[] {
  const byKind = folded.get(message) ?? new Map<MailSearch["kind"], readonly string[]>();
  folded.set(message, byKind);
  const isAddress = kind === "sender" || kind === "recipient";
  const texts =
    byKind.get(kind) ??
    textsFor(kind, message).map((text) => (isAddress ? text.toLowerCase() : anyCase(text)));
  byKind.set(kind, texts);
  return texts;
}

/** Whether a search finds a message. */
export function finds({ kind, query }: MailSearch, message: Remembered): boolean {
  const texts = foldedTexts(kind, message);
  if (kind === "sender" || kind === "recipient") return texts.includes(query.toLowerCase());
  const wanted = anyCase(query);
  return texts.some((text) => text.includes(wanted));
}

const anyCase = (text: string) => text.toLowerCase().replaceAll("ς", "σ");
const utf8 = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");

/** Character by character: UTF-8 or, if no character starts at a byte, Latin-1. The bytes from 0x80 to 0x9f are not among the tests' messages. */
function utf8OrLatin1(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      text += String.fromCharCode(byte);
      at++;
      continue;
    }
    const isCharacter = (size: number) => {
      const piece = bytes.subarray(at, at + size);
      return Buffer.from(piece.toString("utf8")).equals(piece);
    };
    const size = [2, 3, 4].find(isCharacter);
    text += bytes.toString(size === undefined ? "latin1" : "utf8", at, at + (size ?? 1));
    at += size ?? 1;
  }
  return text;
}

/** Headers and body as MailHog has them. */
export function mailhogView({ id, created, envelope, raw }: Remembered) {
  // SMTP's last line end belongs to the final dot.
  const data = raw.toString("latin1").replace(/\r\n$/, "");
  const headers = new Map<string, string[]>();
  const [head = "", ...paragraphs] = data.split("\r\n\r\n");
  let name = "";
  for (const line of paragraphs.length === 0 ? [] : head.split("\r\n")) {
    const [key = "", ...rest] = line.split(": ");
    if (name !== "" && /^[ \t]/.test(line)) headers.set(name, [`${headers.get(name)?.[0]}${utf8(line)}`]);
    else if (rest.length > 0) {
      name = utf8(key);
      headers.set(name, [utf8(rest.join(": "))]);
    }
  }
  const messageId = id.replace(/^\d{19}\|/, "");
  const when = new Date(created).toUTCString().replace("GMT", "+0000");
  const hello = `from ${envelope.helo} by mailhog.example (MailHog)`;
  const like = (wanted: string) => [...headers.keys()].find((key) => key.toLowerCase() === wanted);
  if (like("message-id") === undefined) headers.set("Message-ID", [messageId]);
  const add = (key: string, value: string) => headers.set(key, [...(headers.get(key) ?? []), value]);
  add(like("received") ?? "Received", `${hello}\r\n          id ${messageId}; ${when}`);
  add(like("return-path") ?? "Return-Path", `<${envelope.from}>`);
  return { headers, body: utf8(paragraphs.length === 0 ? data : paragraphs.join("\r\n\r\n")) };
}

/** Without relays, split at the first "@" and put together again. */
function mailhogPath(path: string): string {
  const address = path.replace(/^[^:]*:/, "");
  return address.includes("@") ? address : `${address}@`;
}

/** Messages that were read before: many searches are compared with each. */
const views = new WeakMap<Buffer, ReturnType<typeof readByHumans>>();

/** What people read: headers by name and the texts of all parts, decoded, of the first MiB. */
export function humanView(raw: Buffer): ReturnType<typeof readByHumans> {
  const view = views.get(raw) ?? readByHumans(raw);
  views.set(raw, view);
  return view;
}

function readByHumans(raw: Buffer) {
  const { fields, body } = section(raw.subarray(0, 1024 * 1024).toString("latin1"));
  const named = (name: string) => {
    const values = fields.filter(([each]) => each === name).map(([, value]) => value);
    const isRepeatable = /^(from|to|cc|bcc|reply-to)$/.test(name);
    return (isRepeatable ? values.filter((value) => value !== "") : values.slice(0, 1)).map(words).join(", ");
  };
  const subjects = fields.filter(([name]) => name === "subject").map(([, value]) => words(value));
  return { subjects, named, texts: partTexts(fields, body), files: partFiles(fields, body) };
}

/** How each part that is neither text nor HTML to read is attached. */
function partFiles(fields: readonly Field[], body: string): ("attached" | "inline")[] {
  const field = (name: string) => fields.find(([each]) => each === name)?.[1] ?? "";
  const type = field("content-type");
  const boundary = boundaryOf(type);
  if (/^multipart\//i.test(type))
    return boundary === ""
      ? []
      : sections(body, boundary).flatMap((part) => partFiles(part.fields, part.body));
  const disposition = field("content-disposition");
  if (/^attachment/i.test(disposition)) return ["attached"];
  if (/^(?:$|text\/(?:plain|html))/i.test(type)) return [];
  return [/^inline/i.test(disposition) || field("content-id") !== "" ? "inline" : "attached"];
}

function sections(body: string, boundary: string) {
  const [whole = ""] = body.split(`\n--${boundary}--`);
  const pieces = `\n${whole}`.split(new RegExp(`\\n--${boundary}[ \\t]*\\r?\\n`));
  return pieces.slice(1).map((piece) => section(piece.replace(/\r$/, "")));
}

type Field = readonly [name: string, value: string];

function section(text: string): { fields: Field[]; body: string } {
  const lines = text.split("\n");
  const isField = (line: string) => /^[^\s:]+[ \t]*:/.test(line);
  const isFold = (line: string) => /^[ \t]/.test(line);
  // What follows the last line end is not a line.
  const empty = lines.findIndex((line, at) => line === "\r" || (line === "" && at < lines.length - 1));
  const stray = lines.findIndex((line, at) => !isField(line) && !(isFold(line) && at > 0));
  const isSeparated = empty >= 0 && (empty === 0 || lines.slice(0, empty).some(isField));
  const start = isSeparated ? empty : Math.max(stray, 0);
  const all = !isSeparated && stray < 0;
  const unfolded = (all ? lines : lines.slice(0, start))
    .map((line) => line.replace(/\r$/, ""))
    .filter((line) => isField(line) || isFold(line))
    .join("\n")
    .replaceAll(/\n(?=[ \t])/g, "");
  const fields = unfolded.split("\n").map((line): Field => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { fields, body: all ? "" : lines.slice(isSeparated ? start + 1 : start).join("\n") };
}

function partTexts(fields: readonly Field[], body: string): string[] {
  const field = (name: string) => fields.find(([each]) => each === name)?.[1] ?? "";
  const type = field("content-type");
  const boundary = boundaryOf(type);
  if (/^multipart\//i.test(type) && boundary !== "") {
    return sections(body, boundary).flatMap((part) => partTexts(part.fields, part.body));
  }
  if (/^attachment/i.test(field("content-disposition"))) return [];
  if (type !== "" && !/^text\//i.test(type)) return [];
  const encoding = field("content-transfer-encoding").toLowerCase();
  const bytes =
    encoding === "base64"
      ? Buffer.from(body, "base64")
      : Buffer.from(
          encoding === "quoted-printable" ? quoted(body.replaceAll(/=\r?\n/g, "")) : body,
          "latin1",
        );
  const isLatin1 = /charset=latin1/i.test(type);
  const text = isLatin1 ? bytes.toString("latin1") : utf8OrLatin1(bytes);
  return [
    /^text\/html/i.test(type) ? text.replaceAll(/<\/?(p|br)>/g, "\n").replaceAll(/<[^>]*>/g, "") : text,
  ];
}

export function boundaryOf(type: string): string {
  const simple = /boundary="?([\w ]+)/.exec(type)?.[1];
  const pieces = [...type.matchAll(/boundary\*\d="?(\w+)/g)].map(([, piece]) => piece);
  return simple ?? (pieces.length > 0 ? pieces.join("") : (/boundary\*=utf-8''(\w+)/.exec(type)?.[1] ?? ""));
}

const quoted = (text: string) =>
  text.replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Encoded words of UTF-8 and Latin-1. */
function words(value: string): string {
  const pieces = value.replaceAll(/\?=\s+=\?/g, "?==?").split(/(=\?(?:utf-8|iso-8859-1)\?[bq]\?[^?]*\?=)/i);
  return pieces
    .map((piece) => {
      const [, charset = "", encoding = "", text = ""] =
        /^=\?(utf-8|iso-8859-1)\?([bq])\?([^?]*)\?=$/i.exec(piece) ?? [];
      if (encoding === "") return utf8OrLatin1(Buffer.from(piece, "latin1"));
      const bytes = /b/i.test(encoding)
        ? Buffer.from(text, "base64").toString("latin1")
        : quoted(text.replaceAll("_", " "));
      return /utf-8/i.test(charset) ? utf8OrLatin1(Buffer.from(bytes, "latin1")) : bytes;
    })
    .join("");
}

function addresses(value: string): string[] {
  return value.split(/[\s<>,;:"'()]+/).filter((word) => /^[^@]+@[^@]+$/.test(word));
}
