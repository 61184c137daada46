import type { MailhogContent, MailhogMime } from "../mail.ts";
import { boundaryOf } from "./boundary-of.ts";
import type { Readable } from "./byte-text.ts";

/** Deeper multiparts stay one part: MailHog has no limit, and a stack has one. */
const maxDepth = 100;

/** What stands before and after the first empty line of a byte text, as MailHog reads it. */
export interface ContentPieces {
  /** The last value of each name, unfolded; names as sent. */
  readonly headers: Map<string, string>;
  /** Everything, if there is no empty line. */
  readonly body: string;
}

/** Splits a byte text into headers and body. A header needs ": "; a line that is none is dropped. */
export function contentPieces(data: string): ContentPieces {
  const end = data.indexOf("\r\n\r\n");
  const headers = new Map<string, string>();
  if (end < 0) return { headers, body: data };
  let last = "";
  for (const line of data.slice(0, end).split("\r\n")) {
    const colon = line.indexOf(": ");
    if (last !== "" && (line.startsWith(" ") || line.startsWith("\t"))) {
      headers.set(last, `${headers.get(last)}${line}`);
    } else if (colon >= 0) {
      last = line.slice(0, colon);
      headers.set(last, line.slice(colon + 2));
    }
  }
  return { headers, body: data.slice(end + 4) };
}

/** Whether MailHog takes this for a multipart: by this very name and in lower case. */
export function isMultipart({ headers }: ContentPieces): boolean {
  return headers.get("Content-Type")?.startsWith("multipart/") ?? false;
}

/** The parts of a multipart as MailHog cuts them: preamble and closing dashes are parts too. */
export function mimeOf(pieces: ContentPieces, readable: Readable, depth: number = 1): MailhogMime {
  const boundary = boundaryOf(pieces.headers.get("Content-Type") ?? "");
  if (boundary === "") return { Parts: null };
  const parts = pieces.body
    .split(`--${boundary}`)
    .filter((part) => part !== "")
    .map((part) => contentOf(trimLineEnds(part), readable, depth));
  return { Parts: parts.length === 0 ? null : parts };
}

function contentOf(data: string, readable: Readable, depth: number): MailhogContent {
  const pieces = contentPieces(data);
  const MIME = isMultipart(pieces) && depth < maxDepth ? mimeOf(pieces, readable, depth + 1) : null;
  return { Headers: headersOf(pieces, readable), Body: readable(pieces.body), Size: data.length, MIME };
}

/** Headers in MailHog's shape; without a prototype, because senders choose the names. */
export function headersOf({ headers }: ContentPieces, readable: Readable): Record<string, string[]> {
  const entries = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of headers) entries[readable(name)] = [readable(value)];
  return entries;
}

function trimLineEnds(text: string): string {
  let start = 0;
  let end = text.length;
  const isLineEnd = (at: number) => text[at] === "\r" || text[at] === "\n";
  while (start < end && isLineEnd(start)) start++;
  while (end > start && isLineEnd(end - 1)) end--;
  return text.slice(start, end);
}
