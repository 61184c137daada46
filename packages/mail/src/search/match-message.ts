import { mailhogAddress } from "../mailhog/mailhog-message.ts";
import { textChunks } from "../mime/byte-text.ts";
import { pacer } from "../model/background-work.ts";
import type { MailSearch } from "../model/mail-search.ts";
import type { Envelope, MailMessage } from "../model/message.ts";
import { readOverview, readSearchedText } from "./overview.ts";

/** Whether a search finds a message whose bytes were read. A large message is searched in several turns of the event loop. */
export async function matchMessage(search: MailSearch, message: MailMessage): Promise<boolean> {
  const { kind, query } = search;
  switch (kind) {
    case "from":
    case "to": {
      const values = message.mailhogText().headers[kind === "from" ? "From" : "To"];
      return matchHeaders({ kind, query }, message.envelope, values?.join("\n")) ?? false;
    }
    case "containing": {
      if (bodyContains(message.raw, query)) return true;
      const { headers, body } = message.mailhogText();
      const values = Object.values(headers).flat();
      return containsAny([body, ...values.map(textChunks)], foldCase(query));
    }
    case "text":
      return textContains(message.raw, foldCase(query));
    case "sender":
    case "recipient":
      return addressesOf(kind, message).includes(query.toLowerCase());
  }
}

/** Whether the decoded text contains a folded query. Its pieces are one per line: only a query with a line end can match two. */
function textContains(raw: Uint8Array, wanted: string): boolean {
  const { head, texts } = readSearchedText(raw);
  if (wanted.includes("\n")) return foldCase([...head, ...texts()].join("\n")).includes(wanted);
  if (foldCase(head.join("\n")).includes(wanted)) return true;
  for (const text of texts()) if (foldCase(text).includes(wanted)) return true;
  return false;
}

/** Printable ASCII. */
const plain = /^[\x20-\x7e]+$/;

/** Bytes that are searched in one piece. */
const searchedAtOnce = 262_144;

/**
 * Whether the start of the body certainly contains a query, without decoding it: the bytes of ASCII characters mean the same in
 * every encoding of them. False if that is not certain.
 */
function bodyContains(raw: Uint8Array, query: string): boolean {
  if (!isPlain(query)) return false;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const end = bytes.indexOf("\r\n\r\n", 0, "latin1");
  // Without such a line, it is not certain where the body begins.
  if (end < 0) return false;
  return bytes
    .toString("latin1", end + 4, end + 4 + searchedAtOnce)
    .toLowerCase()
    .includes(query.toLowerCase());
}

/**
 * The bytes of a message in which a search for `containing` certainly finds all printable ASCII: the values of headers, and the start of
 * the body.
 */
export function certainPieces(message: MailMessage): Uint8Array[] {
  const { raw } = message;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const end = bytes.indexOf("\r\n\r\n", 0, "latin1");
  if (end < 0) return [];
  const values = Object.values(message.mailhogText().headers).flat();
  return [...values.map((value) => Buffer.from(value)), bytes.subarray(end + 4, end + 4 + searchedAtOnce)];
}

/** Whether a query is found in phrases: those are printable ASCII. */
export function isPlain(query: string): boolean {
  return plain.test(query);
}

/** Whether one of several texts, each in chunks, contains a folded query. Folding does not depend on context, so that chunks can be folded separately. */
async function containsAny(texts: readonly Iterable<string>[], wanted: string): Promise<boolean> {
  const pace = pacer();
  for (const chunks of texts) {
    let tail = "";
    for (const chunk of chunks) {
      const searched = tail + foldCase(chunk);
      if (searched.includes(wanted)) return true;
      // A match may start in this chunk and end in the next.
      tail = wanted.length > 1 ? searched.slice(1 - wanted.length) : "";
      const turn = pace(chunk.length);
      if (turn !== undefined) await turn;
    }
  }
  return false;
}

function addressesOf(role: "sender" | "recipient", { envelope, raw }: MailMessage): string[] {
  const { senders, recipients } = readOverview(raw);
  const own = role === "sender" ? [envelope.from] : envelope.to;
  return [...own.map((address) => address.toLowerCase()), ...(role === "sender" ? senders : recipients)];
}

/**
 * Whether MailHog's memory storage finds a message by `from` or `to`: a part of an address of the envelope, or of the
 * header with exactly this name. Returns undefined if `header` is null, which means unknown, and the envelope does not match.
 */
export function matchHeaders(
  { kind, query }: Pick<MailSearch, "query"> & { readonly kind: "from" | "to" },
  envelope: Envelope,
  header: string | undefined | null,
): boolean | undefined {
  const wanted = foldCase(query);
  const paths = kind === "from" ? [envelope.from] : envelope.to;
  for (const path of paths) {
    if (foldCase(mailhogAddress(path)).includes(wanted)) return true;
  }
  if (header === null) return undefined;
  return header !== undefined && foldCase(header).includes(wanted);
}

/** Folds case independently of context: JavaScript's toLowerCase has a special final sigma. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}
