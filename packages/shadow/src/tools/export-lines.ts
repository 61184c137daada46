import { parseJson } from "../document/json.ts";
import { isShadowError, optionInvalid } from "../model/shadow-error.ts";
import type { RowId } from "../rows/row-keys.ts";
import { type ExportLine, exportInvalid, readLine } from "./export-line.ts";

/** The text or bytes of an export. */
export type ExportChunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** No export has longer lines: an item has at most 400 KB. */
const maxLineBytes = 16 * 1024 * 1024;

/** A line with its number, from 1, and the bytes up to its end. */
export interface NumberedLine {
  readonly line: ExportLine;
  readonly number: number;
  readonly bytesSoFar: number;
}

/** Cuts an export into lines and reads them. A last line without its line break is left out: it was interrupted. */
export async function* exportLines(chunks: ExportChunks): AsyncGenerator<NumberedLine, void, undefined> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 0;
  let bytesSoFar = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : asBuffer(chunk);
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      const whole = Buffer.concat([...rest, bytes.subarray(from, at)]);
      rest = [];
      restBytes = 0;
      from = at + 1;
      number++;
      bytesSoFar += whole.length + 1;
      if (whole.length > 0) yield { line: parsed(whole, number), number, bytesSoFar };
    }
    // A copy: the source of the chunks may reuse their memory.
    if (from < bytes.length) rest.push(Buffer.from(bytes.subarray(from)));
    restBytes += bytes.length - from;
    if (restBytes > maxLineBytes) throw exportInvalid(number + 1, "is longer than any shadow");
  }
}

function asBuffer(bytes: unknown): Buffer {
  if (!(bytes instanceof Uint8Array))
    throw optionInvalid("chunks", "must contain only strings and Uint8Array objects");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function parsed(bytes: Buffer, number: number): ExportLine {
  const line = readLine(jsonOf(bytes, number), number);
  if ((line.what === "head") !== (number === 1))
    throw exportInvalid(
      number,
      number === 1 ? "is not the first line of an export" : "is a second first line",
    );
  return line;
}

function jsonOf(bytes: Buffer, number: number) {
  try {
    return parseJson(bytes.toString("utf8"));
  } catch (error) {
    if (isShadowError(error, "SHADOW_REQUEST_INVALID")) throw exportInvalid(number, "is not JSON");
    throw error;
  }
}

/** The contents of an interrupted export. */
export interface ExportedShadows {
  /** Bytes up to the end of the last whole line; what comes after them must be removed before the export continues. */
  readonly bytes: number;
  /** Lines of shadows and of deleted versions. */
  readonly lines: number;
  /** The thing whose shadows are exported; undefined for those of all. */
  readonly thing?: string;
  /** The item of the last line: the export continues after it. */
  readonly last?: RowId & { readonly isMemory: boolean };
  /** Whether nothing is missing. */
  readonly complete: boolean;
}

/**
 * Reads how far an interrupted export got, for the option `resume`.
 *
 * @example
 * const resume = await readExportedShadows(createReadStream("shadows.jsonl"));
 * for await (const line of exportShadows(port, {}, { resume })) process.stdout.write(line);
 */
export async function readExportedShadows(chunks: ExportChunks): Promise<ExportedShadows> {
  let soFar: ExportedShadows = { bytes: 0, lines: 0, complete: false };
  for await (const { line, number, bytesSoFar: bytes } of exportLines(chunks)) {
    if (soFar.complete) throw exportInvalid(number, "follows the last line of the export");
    if (line.what === "head") soFar = { ...soFar, bytes, thing: line.thing };
    else if (line.what === "end") soFar = { ...soFar, bytes, complete: true };
    else {
      const { id, name, kind } = line;
      const last = { id, name, kind, isMemory: line.what === "memory" };
      soFar = { ...soFar, bytes, lines: soFar.lines + 1, last };
    }
  }
  return soFar;
}
