import { extendedParameter } from "../mime/header-fields.ts";
import { allSteps } from "../mime/transfer-encoding.ts";

/**
 * Limits on what is read from one message. MailHog has none, and hangs or crashes on messages built
 * to exceed them. A part that is not split further keeps its content in its body.
 */
export const mailhogLimits = {
  /** Levels of multiparts. A deeper multipart is one part. */
  depth: 100,
  /** Parts of all levels together. The last part of each level contains the rest. */
  parts: 1000,
  /** Bytes of all parts together, as a multiple of the message's own: every level repeats what is inside it. */
  timesSize: 8,
  /** Bytes of all parts together that are always allowed. */
  bytes: 1_048_576,
  /** Header lines of all parts together. Further lines are ignored. */
  headerLines: 50_000,
} as const;

/** Characters that are searched in one step. The caller may let other work run between steps. */
const windowLength = 1_048_576;

/** Separators that are found in one step. */
const roundsAtOnce = 10_000;

/** The remaining {@link mailhogLimits} of one message. */
interface Budget {
  parts: number;
  bytes: number;
  headerLines: number;
}

function budgetFor(size: number): Budget {
  const { parts, timesSize, bytes, headerLines } = mailhogLimits;
  return { parts, bytes: Math.max(size * timesSize, bytes), headerLines };
}

const emptyLine = "\r\n\r\n";

/** The parts of a byte text before and after the first empty line, as MailHog splits it. */
export interface ContentPieces {
  /** The last value of each name, unfolded; names as sent. */
  readonly headers: Map<string, string>;
  /** Everything, if there is no empty line. */
  readonly body: string;
}

/** Splits a byte text into headers and body. A header needs ": "; a line without it is dropped. */
export function contentPieces(data: string): ContentPieces {
  return piecesAt(data, data.indexOf(emptyLine), budgetFor(data.length));
}

/** The headers before `end`, the position of the empty line, and the body after it. */
function piecesAt(data: string, end: number, budget: Budget): ContentPieces {
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

/** A message or a part as MailHog cuts it. All strings are byte strings. */
export interface MailhogOutline extends ContentPieces {
  readonly size: number;
  /** Undefined if this is not a multipart; null for a multipart without a usable boundary. */
  readonly parts: readonly MailhogOutline[] | null | undefined;
}

/** Reads a whole message. Yields between steps, so that a caller can let other work run. */
export function* outlineSteps(data: string): Generator<undefined, MailhogOutline, undefined> {
  return yield* outlineOf(data, 0, budgetFor(data.length));
}

/** Reads a whole message without a break. */
export function readOutline(data: string): MailhogOutline {
  return allSteps(outlineSteps(data));
}

/** Like `text.indexOf(wanted, at)`. Yields after each window without a match. */
function* indexOf(text: string, wanted: string, at: number): Generator<undefined, number, undefined> {
  for (let start = at; start < text.length; start += windowLength) {
    // A match may start in this window and end in the next.
    const found = text.slice(start, start + windowLength + wanted.length - 1).indexOf(wanted);
    if (found >= 0) return start + found;
    yield;
  }
  return -1;
}

function* outlineOf(
  data: string,
  depth: number,
  budget: Budget,
): Generator<undefined, MailhogOutline, undefined> {
  const pieces = piecesAt(data, yield* indexOf(data, emptyLine, 0), budget);
  const splits = isMultipart(pieces) && depth < mailhogLimits.depth && budget.bytes >= pieces.body.length;
  const parts = splits ? yield* partsOf(pieces, depth, budget) : undefined;
  return { ...pieces, size: data.length, parts };
}

/** Whether MailHog treats this as a multipart: with exactly this header name, and in lower case. */
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
  for (const text of texts) parts.push(yield* outlineOf(yield* withoutLineEnds(text), depth + 1, budget));
  return parts.length === 0 ? null : parts;
}

/** The pieces between separators, without empty ones; the last piece is the rest once the limit is reached. */
function* split(text: string, separator: string, budget: Budget): Generator<undefined, string[], undefined> {
  const pieces: string[] = [];
  let start = 0;
  let rounds = 0;
  while (budget.parts > 1) {
    const end = yield* indexOf(text, separator, start);
    if (end < 0) break;
    if (++rounds % roundsAtOnce === 0) yield;
    if (end > start) {
      pieces.push(text.slice(start, end));
      budget.parts--;
    }
    start = end + separator.length;
  }
  if (start < text.length) {
    pieces.push(text.slice(start));
    budget.parts--;
  }
  return pieces;
}

/** Removes CR and LF from the start and the end, where there may be millions. */
function* withoutLineEnds(text: string): Generator<undefined, string, undefined> {
  let start = 0;
  let end = text.length;
  const isLineEnd = (at: number) => text.charCodeAt(at) === 13 || text.charCodeAt(at) === 10;
  while (start < end && isLineEnd(start)) if (++start % windowLength === 0) yield;
  while (end > start && isLineEnd(end - 1)) if (--end % windowLength === 0) yield;
  return text.slice(start, end);
}

const token = /^[!#$%&'*+\-.0-9A-Z^_`a-z{|}~]+/;

/**
 * Returns the boundary in a Content-Type as Go's mime.ParseMediaType reads it, which rejects the whole value if one
 * parameter is malformed or repeated; "" if there is none.
 */
export function boundaryOf(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim();
  if (!isMediaType(type)) return "";
  const parameters = new Map<string, string>();
  let rest = semicolon < 0 ? "" : contentType.slice(semicolon);
  while (rest.trimStart() !== "") {
    const found = takeParameter(rest.trimStart());
    if (found === undefined) return rest.trim() === ";" ? boundaryIn(parameters) : "";
    if (parameters.has(found.name)) return "";
    parameters.set(found.name, found.value);
    rest = found.rest;
  }
  return boundaryIn(parameters);
}

/** The forms of RFC 2231, `boundary*=…` and `boundary*0=…; boundary*1=…`, take precedence. */
function boundaryIn(parameters: ReadonlyMap<string, string>): string {
  return extendedParameter(parameters, "boundary") ?? parameters.get("boundary") ?? "";
}

function isMediaType(type: string): boolean {
  const [main = "", sub, ...more] = type.split("/");
  const whole = (piece: string) => token.exec(piece)?.[0] === piece;
  return whole(main.trim()) && more.length === 0 && (sub === undefined || whole(sub.trim()));
}

interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly rest: string;
}

function takeParameter(text: string): Parameter | undefined {
  if (!text.startsWith(";")) return undefined;
  let rest = text.slice(1).trimStart();
  const name = token.exec(rest)?.[0];
  if (name === undefined) return undefined;
  rest = rest.slice(name.length).trimStart();
  if (!rest.startsWith("=")) return undefined;
  const value = takeValue(rest.slice(1).trimStart());
  return value === undefined ? undefined : { name: name.toLowerCase(), ...value };
}

function takeValue(text: string): { value: string; rest: string } | undefined {
  if (!text.startsWith('"')) {
    const value = token.exec(text)?.[0];
    return value === undefined ? undefined : { value, rest: text.slice(value.length) };
  }
  let value = "";
  for (let at = 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { value, rest: text.slice(at + 1) };
    if (char === "\r" || char === "\n") return undefined;
    // In Go, a backslash is an escape only before a special character.
    if (char === "\\" && /[()<>@,;:\\"/[\]?=]/.test(text.charAt(at + 1))) value += text.charAt(++at);
    else value += char;
  }
  return undefined;
}
