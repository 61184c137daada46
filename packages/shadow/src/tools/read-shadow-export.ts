import { type CutLineErrors, cutLines, type TextChunks } from "@tablekeep/core";
import { parseJson } from "../document/json.ts";
import { isShadowError, optionInvalid } from "../model/shadow-error.ts";
import type { RowId } from "../rows/row-keys.ts";
import { type ExportLine, exportInvalid, readLine } from "./shadow-export-format.ts";

/** A line with its number, from 1, and the bytes up to its end. */
export interface NumberedLine {
  readonly line: ExportLine;
  readonly number: number;
  readonly bytesSoFar: number;
}

const errors: CutLineErrors = {
  invalid: (reason) => optionInvalid("chunks", reason),
  tooLong: (number) => exportInvalid(number, "is longer than any shadow"),
};

/** The parsed lines of an export. A last line without a line break is skipped, because writing it was interrupted. */
export async function* exportLines(chunks: TextChunks): AsyncGenerator<NumberedLine, void, undefined> {
  for await (const { text, number, bytesSoFar } of cutLines(chunks, errors))
    yield { line: parsed(text, number), number, bytesSoFar };
}

function parsed(text: string, number: number): ExportLine {
  const line = readLine(jsonOf(text, number), number);
  if ((line.what === "head") !== (number === 1))
    throw exportInvalid(
      number,
      number === 1 ? "is not the first line of an export" : "repeats the first line",
    );
  return line;
}

function jsonOf(text: string, number: number) {
  try {
    return parseJson(text);
  } catch (error) {
    if (isShadowError(error, "SHADOW_REQUEST_INVALID")) throw exportInvalid(number, "is not JSON");
    throw error;
  }
}

/** The contents of an interrupted export. */
export interface ExportedShadows {
  /** The number of bytes up to the end of the last complete line; the rest must be removed before the export continues. */
  readonly bytes: number;
  /** Lines of shadows and of deleted versions. */
  readonly lines: number;
  /** The thing whose shadows are exported; undefined for all things. */
  readonly thing?: string;
  /** The item of the last line: the export continues after it. */
  readonly last?: RowId & { readonly isMemory: boolean };
  /** Whether the export is complete. */
  readonly complete: boolean;
}

/**
 * Reads how far an interrupted export got, for the option `resume`.
 *
 * @example
 * const resume = await readExportedShadows(createReadStream("shadows.jsonl"));
 * for await (const line of exportShadows(port, {}, { resume })) process.stdout.write(line);
 */
export async function readExportedShadows(chunks: TextChunks): Promise<ExportedShadows> {
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
