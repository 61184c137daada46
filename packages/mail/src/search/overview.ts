import { isAscii } from "node:buffer";
import { withoutFinalLineEnd } from "../mailhog/mailhog-message.ts";
import { type ContentPieces, contentPieces } from "../mailhog/outline.ts";
import { byteText } from "../mime/byte-text.ts";
import { asUtf8, cutText, decodeCharset, decodeWords } from "../mime/decode-text.ts";
import { addressesIn, type Fields, fieldOf, parameterValue } from "../mime/header-fields.ts";
import { htmlText } from "../mime/html-text.ts";
import { decodeTransfer } from "../mime/transfer-encoding.ts";
import { type LeafPart, type WalkedParts, walkParts } from "../mime/walk-parts.ts";
import { tagsIn } from "../model/tag-rules.ts";

/** Bytes at the start of a message that its overview covers. */
export const overviewBytes = 1_048_576;

/** What a list shows and what searches match of the start of a message. */
export interface Overview {
  readonly subject: string;
  /** The headers `From` and `To`, decoded. */
  readonly headerFrom: string;
  readonly headerTo: string;
  /**
   * The same for MailHog's search: undecoded, with exactly this name. Undefined if absent, null if the header is longer
   * than {@link overviewBytes}.
   */
  readonly mailhogFrom: string | undefined | null;
  readonly mailhogTo: string | undefined | null;
  readonly preview: string;
  readonly attachments: number;
  /** The tags in the header `X-Tags`. */
  readonly tags: readonly string[];
  /** Complete addresses, in lower case, of `From` and of `To`, `Cc` and `Bcc`. */
  readonly senders: readonly string[];
  readonly recipients: readonly string[];
  /** Subjects and addresses, one per line, and the decoded texts: what a search for text matches against. */
  readonly head: string;
  readonly texts: readonly string[];
  /** Whether all bytes are ASCII. */
  readonly ascii: boolean;
  /** Whether the bytes contain each of the texts literally. */
  readonly verbatim: boolean;
  /** Headers and body as MailHog's search sees them, as byte texts. */
  readonly mailhog: ContentPieces;
}

/** Returns everything that a search for text matches against. */
export function textOf({ head, texts }: Overview): string {
  return [head, ...texts].join("\n");
}

/** The part of a message that searches for text read. */
export interface SearchedText extends Pick<WalkedParts, "parts"> {
  /** The decoded value of a header field, addresses of repeated ones joined; "" if there is none. */
  named(name: string): string;
  /** The lines of the first piece of {@link textOf}. */
  readonly head: readonly string[];
  /** Its other pieces. Each is decoded when it is needed: often the first one decides. */
  texts(): Iterable<string>;
}

/** Reads the pieces of {@link textOf}, and nothing else. */
export function readSearchedText(raw: Uint8Array): SearchedText {
  const start = raw.subarray(0, overviewBytes);
  const walked = walkParts(byteText(start));
  const named = (name: string) => namedField(walked.top, name);
  return {
    parts: walked.parts,
    named,
    head: headOf(walked.top),
    texts: () => textsOf(walked, isAscii(start)),
  };
}

/** Fields that some senders write several times, with other addresses each time. */
const repeatable: ReadonlySet<string> = new Set(["from", "to", "cc", "bcc", "reply-to"]);

/** The decoded value of a header field: of all fields with this name if they have addresses, and otherwise of the first. */
function namedField(header: Fields, name: string): string {
  if (!repeatable.has(name)) return decodeWords(fieldOf(header, name));
  const values = header.fields.filter((field) => field.name === name && field.value !== "");
  return values.map(({ value }) => decodeWords(value)).join(", ");
}

const addressFields = ["from", "to", "cc", "bcc"];

/** Every subject, though lists show the first only, and the addresses. */
function headOf(header: Fields): string[] {
  return [...subjectsOf(header), ...addressFields.map((name) => namedField(header, name))];
}

function subjectsOf({ fields }: Fields): string[] {
  return fields.filter(({ name }) => name === "subject").map(({ value }) => decodeWords(value));
}

/** The decoded texts of a message, and the headers of messages embedded in it. */
function* textsOf({ parts, embedded }: WalkedParts, ascii: boolean): Generator<string, void, undefined> {
  for (const part of parts)
    if (isSearched(part)) yield ascii && isVerbatim(part) ? part.body : partText(part);
  for (const message of embedded) yield embeddedHeader(message);
}

/** Reads the first {@link overviewBytes} of a message. `size` is the size of the whole message, if `raw` is only its start. */
export function readOverview(raw: Uint8Array, size: number = raw.length): Overview {
  const data = byteText(raw.subarray(0, overviewBytes));
  const walked = walkParts(data);
  const { top, embedded, parts } = walked;
  const read = (name: string) => namedField(top, name);
  const subject = read("subject");
  const addresses = addressFields.map(read);
  const [headerFrom = "", headerTo = "", ...others] = addresses;
  const ascii = isAscii(raw.subarray(0, overviewBytes));
  const verbatim = ascii && embedded.length === 0 && parts.filter(isSearched).every(isVerbatim);
  const texts = [...textsOf(walked, ascii)];
  const isWhole = size <= overviewBytes;
  const mailhog = contentPieces(isWhole ? data.slice(0, withoutFinalLineEnd(raw).length) : data);
  // Without an empty line, the header continues after these bytes, or there is none.
  const isKnown = isWhole || mailhog.body.length < data.length;
  const header = (name: string) => (isKnown ? asText(mailhog.headers.get(name)) : null);
  return {
    subject,
    headerFrom,
    headerTo,
    mailhogFrom: header("From"),
    mailhogTo: header("To"),
    preview: previewOf(texts),
    attachments: parts.filter(isAttachment).length,
    tags: tagsIn(read("x-tags")),
    senders: addressesIn([headerFrom]),
    recipients: addressesIn([headerTo, ...others]),
    head: [...subjectsOf(top), ...addresses].join("\n"),
    texts,
    ascii,
    verbatim,
    mailhog,
  };
}

function asText(value: string | undefined): string | undefined {
  return value && asUtf8(value);
}

/** The header of an embedded message as the decoder shows it. */
function embeddedHeader(message: Fields): string {
  return ["from", "subject", "to", "cc"].map((name) => namedField(message, name)).join("\n");
}

/** Types that the decoder shows as text unless they are attached. */
const readTypes = /^(?:|text\/plain|text\/html)$/;

function dispositionOf({ fields }: LeafPart) {
  const { value, parameters } = parameterValue(fieldOf(fields, "content-disposition"));
  return { isAttached: value === "attachment", hasName: parameters.has("filename") };
}

/** Whether a list counts a part as an attachment. A multipart without a boundary is not one. */
function isAttachment(part: LeafPart): boolean {
  const { value } = part.type;
  return dispositionOf(part).isAttached || !(readTypes.test(value) || value.startsWith("multipart/"));
}

/** Whether searches read a part: also other kinds of text, such as a calendar, if it is not a file. */
function isSearched(part: LeafPart): boolean {
  const { isAttached, hasName } = dispositionOf(part);
  if (isAttached) return false;
  return readTypes.test(part.type.value) || (part.type.value.startsWith("text/") && !hasName);
}

/** Charsets known to encode ASCII as ASCII. */
const asciiLike = /^(?:utf-?8|(?:us-)?ascii|latin1|iso-8859-\d{1,2}|windows-125\d|cp1252)?$/i;

/** Whether the text of a part whose bytes are ASCII equals its body. */
function isVerbatim({ fields, type }: LeafPart): boolean {
  if (type.value === "text/html") return false;
  if (/base64|quoted-printable/i.test(fieldOf(fields, "content-transfer-encoding"))) return false;
  return asciiLike.test((type.parameters.get("charset") ?? "").trim());
}

function partText({ fields, type, body }: LeafPart): string {
  const bytes = decodeTransfer(body, fieldOf(fields, "content-transfer-encoding"));
  const text = decodeCharset(bytes, type.parameters.get("charset") ?? "");
  return type.value === "text/html" ? htmlText(text) : text;
}

function previewOf(texts: readonly string[]): string {
  const text = texts.find((each) => each.trim() !== "") ?? "";
  // A single space, as between most words, needs no replacement.
  return cutText(
    cutText(text, 600)
      .trim()
      .replaceAll(/[^\S ]\s*| \s+/g, " "),
    200,
  );
}
