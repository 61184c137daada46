import { byteText } from "../mime/byte-text.ts";
import { decodeCharset, decodeWords } from "../mime/decode-text.ts";
import { type Fields, fieldOf, parameterValue } from "../mime/header-fields.ts";
import { decodeTransfer } from "../mime/transfer-encoding.ts";
import { type LeafPart, walkParts } from "../mime/walk-parts.ts";

/** The largest part whose text is read. */
const maxTextBytes = 2 * 1_048_576;

/** A message in the form that the rules read. */
export interface LintedMessage {
  readonly raw: Uint8Array;
  /** The bytes as a byte text. */
  readonly data: string;
  readonly top: Fields;
  /** The decoded values of a header, in order. */
  named(name: string): string[];
  /** HTML parts that are shown, decoded, with their size in bytes. */
  readonly htmls: readonly { readonly html: string; readonly bytes: number }[];
  /** Plain-text parts that are shown, decoded. */
  readonly texts: readonly string[];
  /** The Content-IDs of all parts, without brackets. */
  readonly contentIds: ReadonlySet<string>;
}

export function readLinted(raw: Uint8Array): LintedMessage {
  const data = byteText(raw);
  const { top, parts } = walkParts(data);
  const shown = parts.filter((part) => !isAttached(part));
  const html = shown.filter(({ type }) => type.value === "text/html");
  const text = shown.filter(({ type }) => type.value === "text/plain" || type.value === "");
  return {
    raw,
    data,
    top,
    named: (name) => top.fields.filter((field) => field.name === name).map(({ value }) => decodeWords(value)),
    htmls: html.map((part) => {
      const bytes = bytesOf(part);
      return { html: textOf(part, bytes), bytes: bytes.length };
    }),
    texts: text.map((part) => textOf(part, bytesOf(part))),
    contentIds: new Set(
      parts
        .map(({ fields }) => fieldOf(fields, "content-id").trim().replaceAll(/^<|>$/g, ""))
        .filter((id) => id !== ""),
    ),
  };
}

function isAttached({ fields }: LeafPart): boolean {
  return parameterValue(fieldOf(fields, "content-disposition")).value === "attachment";
}

function bytesOf({ fields, body }: LeafPart): Buffer {
  return decodeTransfer(body, fieldOf(fields, "content-transfer-encoding"));
}

function textOf({ type }: LeafPart, bytes: Buffer): string {
  return decodeCharset(bytes.subarray(0, maxTextBytes), type.parameters.get("charset") ?? "");
}
