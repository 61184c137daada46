import { byteText } from "../mailhog/byte-text.ts";
import { contentPieces } from "../mailhog/parse-content.ts";
import { addressesIn } from "./addresses-in.ts";
import { decodeCharset, decodeTransfer } from "./decode-bytes.ts";
import { decodeWords } from "./decode-words.ts";
import { fieldOf, headerFields, parameterValue } from "./header-fields.ts";
import { htmlText } from "./html-text.ts";
import { type LeafPart, walkParts } from "./walk-parts.ts";

/** Bytes at the beginning of a message that are looked at for its overview. */
export const overviewBytes = 1_048_576;

/** What the beginning of a message tells about it. */
export interface Overview {
  readonly subject: string;
  /** The headers `From` and `To`, decoded. */
  readonly headerFrom: string;
  readonly headerTo: string;
  /** The same as MailHog's search sees them: undecoded, by this very name; undefined if absent. */
  readonly mailhogFrom: string | undefined;
  readonly mailhogTo: string | undefined;
  readonly preview: string;
  readonly attachments: number;
  /** Whole addresses, in lower case, of `From` and of `To`, `Cc` and `Bcc`. */
  readonly senders: readonly string[];
  readonly recipients: readonly string[];
  /** Subject and addresses, and texts and HTML, decoded, a line end between them: what a search for text looks through. */
  readonly head: string;
  readonly texts: readonly string[];
}

/** All that a search for text looks through. */
export function textOf({ head, texts }: Overview): string {
  return [head, ...texts].join("\n");
}

/** Reads the first {@link overviewBytes} of a message. */
export function readOverview(raw: Uint8Array): Overview {
  const data = byteText(raw.subarray(0, overviewBytes));
  const top = headerFields(data);
  const read = (name: string) => decodeWords(fieldOf(top, name));
  const subject = read("subject");
  const headerFrom = read("from");
  const headerTo = read("to");
  const { parts } = walkParts(data);
  const texts = parts.filter((part) => !isAttachment(part)).map(partText);
  const mailhog = contentPieces(data).headers;
  const others = [read("cc"), read("bcc")];
  return {
    subject,
    headerFrom,
    headerTo,
    mailhogFrom: asText(mailhog.get("From")),
    mailhogTo: asText(mailhog.get("To")),
    preview: previewOf(texts),
    attachments: parts.filter(isAttachment).length,
    senders: addressesIn([headerFrom]),
    recipients: addressesIn([headerTo, ...others]),
    head: [subject, headerFrom, headerTo, ...others].join("\n"),
    texts,
  };
}

function asText(value: string | undefined): string | undefined {
  return value === undefined ? undefined : Buffer.from(value, "latin1").toString("utf8");
}

function isAttachment({ fields, type }: LeafPart): boolean {
  const disposition = parameterValue(fieldOf(fields, "content-disposition"));
  if (disposition.value === "attachment" || disposition.parameters.has("filename")) return true;
  return type.value !== "" && !type.value.startsWith("text/");
}

function partText({ fields, type, body }: LeafPart): string {
  const bytes = decodeTransfer(body, fieldOf(fields, "content-transfer-encoding"));
  const text = decodeCharset(bytes, type.parameters.get("charset") ?? "");
  return type.value === "text/html" ? htmlText(text) : text;
}

function previewOf(texts: readonly string[]): string {
  const text = texts.find((each) => each.trim() !== "") ?? "";
  return text.slice(0, 600).trim().replaceAll(/\s+/g, " ").slice(0, 200);
}
