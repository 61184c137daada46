import { boundaryOf } from "./boundary-of.ts";

/**
 * Limits on what is read from one message. MailHog has none, and neither answers nor survives a message that is built
 * to exceed them. Whatever is not split any further stays in the body of the part that contains it.
 */
export const mailhogLimits = {
  /** Levels of multiparts. A deeper multipart is one part. */
  depth: 100,
  /** Parts of all levels together. The last part of each level holds the rest. */
  parts: 1000,
  /** Bytes of all parts together, as a multiple of the message's own: every level repeats what is inside it. */
  timesSize: 8,
  /** Bytes of all parts together that are always allowed. */
  bytes: 1_048_576,
  /** Header lines of all parts together. Further lines are ignored. */
  headerLines: 50_000,
} as const;

/** Characters that are searched in one go. Between two goes the caller may let others work. */
const windowLength = 1_048_576;

/** Separators that are found in one go. */
const roundsAtOnce = 10_000;

/** What is left of {@link mailhogLimits} for one message. */
interface Budget {
  parts: number;
  bytes: number;
  headerLines: number;
}

function budgetFor(size: number): Budget {
  const { parts, timesSize, bytes, headerLines } = mailhogLimits;
  return { parts, bytes: Math.max(size * timesSize, bytes), headerLines };
}

/** What stands before and after the first empty line of a byte text, as MailHog reads it. */
export interface ContentPieces {
  /** The last value of each name, unfolded; names as sent. */
  readonly headers: Map<string, string>;
  /** Everything, if there is no empty line. */
  readonly body: string;
}

/** Splits a byte text into headers and body. A header needs ": "; a line without it is dropped. */
export function contentPieces(data: string, budget: Budget = budgetFor(data.length)): ContentPieces {
  const end = data.indexOf("\r\n\r\n");
  const headers = new Map<string, string>();
  if (end < 0) return { headers, body: data };
  let last = "";
  for (let at = 0; at <= end && budget.headerLines > 0; budget.headerLines--) {
    const lineEnd = data.indexOf("\r\n", at);
    const line = data.slice(at, lineEnd);
    at = lineEnd + 2;
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

/** A message or a part as MailHog cuts it. All strings are byte texts. */
export interface MailhogOutline extends ContentPieces {
  readonly size: number;
  /** Undefined if this is not a multipart; null for a multipart without a usable boundary. */
  readonly parts: readonly MailhogOutline[] | null | undefined;
}

/** Reads a whole message. Yields between pieces of work, so that a caller can let others work. */
export function* outlineSteps(data: string): Generator<undefined, MailhogOutline, undefined> {
  return yield* outlineOf(data, 0, budgetFor(data.length));
}

/** Reads a whole message in one go. */
export function readOutline(data: string): MailhogOutline {
  const steps = outlineSteps(data);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function* outlineOf(
  data: string,
  depth: number,
  budget: Budget,
): Generator<undefined, MailhogOutline, undefined> {
  const pieces = contentPieces(data, budget);
  const splits = isMultipart(pieces) && depth < mailhogLimits.depth && budget.bytes >= pieces.body.length;
  const parts = splits ? yield* partsOf(pieces, depth, budget) : undefined;
  return { ...pieces, size: data.length, parts };
}

/** Whether MailHog takes this for a multipart: by this very name and in lower case. */
function isMultipart({ headers }: ContentPieces): boolean {
  return headers.get("Content-Type")?.startsWith("multipart/") ?? false;
}

/** The parts of a multipart as MailHog cuts them: preamble and closing dashes are parts too. */
function* partsOf(
  { headers, body }: ContentPieces,
  depth: number,
  budget: Budget,
): Generator<undefined, MailhogOutline[] | null, undefined> {
  const boundary = boundaryOf(headers.get("Content-Type") ?? "");
  if (boundary === "") return null;
  budget.bytes -= body.length;
  const texts = yield* split(body, `--${boundary}`, budget);
  const parts: MailhogOutline[] = [];
  for (const text of texts) parts.push(yield* outlineOf(trimLineEnds(text), depth + 1, budget));
  return parts.length === 0 ? null : parts;
}

/** What stands between separators, without empty pieces; the last piece is the rest once no more are allowed. */
function* split(text: string, separator: string, budget: Budget): Generator<undefined, string[], undefined> {
  const pieces: string[] = [];
  let start = 0;
  let rounds = 0;
  for (let at = 0; at < text.length && budget.parts > 1; ) {
    // A separator that begins in this window may end in the next.
    const found = text.slice(at, at + windowLength + separator.length - 1).indexOf(separator);
    if (found < 0 || ++rounds % roundsAtOnce === 0) yield;
    if (found < 0) {
      at += windowLength;
      continue;
    }
    const end = at + found;
    at = end + separator.length;
    if (end > start) {
      pieces.push(text.slice(start, end));
      budget.parts--;
    }
    start = at;
  }
  if (start < text.length) {
    pieces.push(text.slice(start));
    budget.parts--;
  }
  return pieces;
}

function trimLineEnds(text: string): string {
  let start = 0;
  let end = text.length;
  const isLineEnd = (at: number) => text.charCodeAt(at) === 13 || text.charCodeAt(at) === 10;
  while (start < end && isLineEnd(start)) start++;
  while (end > start && isLineEnd(end - 1)) end--;
  return text.slice(start, end);
}
