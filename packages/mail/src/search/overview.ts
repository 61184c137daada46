import { isAscii } from "node:buffer";
import { withoutFinalLineEnd } from "../mailhog/mailhog-message.ts";
import { contentPieces } from "../mailhog/outline.ts";
import { byteText } from "../mime/byte-text.ts";
import { asUtf8, cutText, decodeCharset, decodeTransfer, decodeWords } from "../mime/decode-text.ts";
import { addressesIn, fieldOf, headerFields, parameterValue } from "../mime/header-fields.ts";
import { htmlText } from "../mime/html-text.ts";
import { type LeafPart, walkParts } from "../mime/walk-parts.ts";

/** Bytes at the beginning of a message that its overview is made from. */
export const overviewBytes = 1_048_576;

/** What the beginning of a message contains. */
export interface Overview {
  readonly subject: string;
  /** The headers `From` and `To`, decoded. */
  readonly headerFrom: string;
  readonly headerTo: string;
  /**
   * The same for MailHog's search: undecoded, with exactly this name; undefined if absent, null if the headers are longer
   * than what is read here.
   */
  readonly mailhogFrom: string | undefined | null;
  readonly mailhogTo: string | undefined | null;
  readonly preview: string;
  readonly attachments: number;
  /** Whole addresses, in lower case, of `From` and of `To`, `Cc` and `Bcc`. */
  readonly senders: readonly string[];
  readonly recipients: readonly string[];
  /** Subject and addresses, one per line, and the decoded texts: what a search for text matches against. */
  readonly head: string;
  readonly texts: readonly string[];
  /** Whether all bytes are ASCII. */
  readonly ascii: boolean;
  /** Whether each of the texts stands among the bytes as it is. */
  readonly verbatim: boolean;
  /** The values of all headers as MailHog's search sees them, as a byte text. */
  readonly mailhogValues: readonly string[];
}

/** Everything that a search for text matches against. */
export function textOf({ head, texts }: Overview): string {
  return [head, ...texts].join("\n");
}

/** Reads the first {@link overviewBytes} of a message. `size` is that of the whole message, if `raw` is only its beginning. */
export function readOverview(raw: Uint8Array, size: number = raw.length): Overview {
  const data = byteText(raw.subarray(0, overviewBytes));
  const top = headerFields(data);
  const read = (name: string) => decodeWords(fieldOf(top, name));
  const subject = read("subject");
  const headerFrom = read("from");
  const headerTo = read("to");
  const ascii = isAscii(raw.subarray(0, overviewBytes));
  const { parts } = walkParts(data);
  const readParts = parts.filter((part) => !isAttachment(part));
  const verbatim = ascii && readParts.every(isVerbatim);
  const texts = readParts.map((part) => (ascii && isVerbatim(part) ? part.body : partText(part)));
  const isWhole = size <= overviewBytes;
  const mailhog = contentPieces(isWhole ? byteText(withoutFinalLineEnd(raw)) : data);
  // Without an empty line, the headers continue beyond the part that is read here, or there are none.
  const isKnown = isWhole || mailhog.body.length < data.length;
  const header = (name: string) => (isKnown ? asText(mailhog.headers.get(name)) : null);
  const others = [read("cc"), read("bcc")];
  return {
    subject,
    headerFrom,
    headerTo,
    mailhogFrom: header("From"),
    mailhogTo: header("To"),
    preview: previewOf(texts),
    attachments: parts.length - readParts.length,
    senders: addressesIn([headerFrom]),
    recipients: addressesIn([headerTo, ...others]),
    head: [subject, headerFrom, headerTo, ...others].join("\n"),
    texts,
    ascii,
    verbatim,
    mailhogValues: [...mailhog.headers.values()],
  };
}

function asText(value: string | undefined): string | undefined {
  return value && asUtf8(value);
}

function isAttachment({ fields, type }: LeafPart): boolean {
  const disposition = parameterValue(fieldOf(fields, "content-disposition"));
  if (disposition.value === "attachment" || disposition.parameters.has("filename")) return true;
  return type.value !== "" && !type.value.startsWith("text/");
}

/** Charsets in which ASCII bytes are ASCII text. Of others that is not known here. */
const asciiLike = /^(?:utf-?8|(?:us-)?ascii|latin1|iso-8859-\d{1,2}|windows-125\d|cp1252)?$/i;

/** Whether the text of a part, given that it is ASCII, is its body. */
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
  return cutText(cutText(text, 600).trim().replaceAll(/\s+/g, " "), 200);
}
