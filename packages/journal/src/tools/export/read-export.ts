import { type CutLineErrors, cutLines, type TextChunks } from "@tablekeep/core";
import { optionInvalid } from "../../errors/journal-error.ts";
import { exportInvalid } from "../copy/copy-errors.ts";
import type { ExportedEvent, ExportLine } from "./export-format.ts";

/** A line of an export with its number, from 1, and the bytes up to its end. */
export interface NumberedLine {
  readonly line: ExportLine;
  readonly number: number;
  readonly bytesSoFar: number;
}

/** The errors for chunks that are not an export. */
export const chunkErrors: CutLineErrors = {
  invalid: (reason) => optionInvalid("chunks", reason),
  tooLong: (number) => exportInvalid(number, "is longer than any event"),
};

/** The lines of an export, parsed. A last line without its line break is left out: it was interrupted. */
export async function* exportLines(chunks: TextChunks): AsyncGenerator<NumberedLine, void, undefined> {
  for await (const { text, number, bytesSoFar } of cutLines(chunks, chunkErrors))
    yield { line: parsed(text, number), number, bytesSoFar };
}

function parsed(text: string, number: number): ExportLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw exportInvalid(number, "is not JSON");
  }
  if (typeof value !== "object" || value === null) throw exportInvalid(number, "is not a JSON object");
  return value as ExportLine;
}

/** Iterates lines with one line of lookahead. */
export class LineReader {
  readonly #lines: AsyncGenerator<NumberedLine, void, undefined>;
  #ahead: NumberedLine | undefined;
  /** The number of the last line that was read. */
  number = 0;

  constructor(lines: AsyncGenerator<NumberedLine, void, undefined>) {
    this.#lines = lines;
  }

  /** Returns the next line without consuming it. */
  async peek(): Promise<NumberedLine | undefined> {
    if (this.#ahead === undefined) {
      const { value, done } = await this.#lines.next();
      this.#ahead = done ? undefined : value;
    }
    return this.#ahead;
  }

  async next(): Promise<NumberedLine | undefined> {
    const line = await this.peek();
    this.#ahead = undefined;
    this.number = line?.number ?? this.number;
    return line;
  }

  async close(): Promise<void> {
    await this.#lines.return();
  }
}

/** An id whose export was interrupted. */
export interface PartlyExported {
  readonly persistenceId: string;
  /** The sequence number of the last event; 0 if there is none. */
  readonly sequenceNr: number;
  readonly events: number;
  /** The last event and the number of its line. The journal must still have that event, unless it was deleted. @default not checked */
  readonly last?: { readonly event: ExportedEvent; readonly line: number };
}

/** The contents of an interrupted export. */
export interface ExportedSoFar {
  /** Lines up to the end of the last whole atomic write; what comes after them must be removed before the export continues. */
  readonly lines: number;
  /** Bytes of these lines. */
  readonly bytes: number;
  /** Ids that are complete. */
  readonly ids: ReadonlySet<string>;
  /** The id that was being exported, its last event, and the number of its events. */
  readonly partial?: PartlyExported;
  /** Whether nothing is missing. */
  readonly complete: boolean;
}

/**
 * Reads how far an interrupted export got, for the option `resume`.
 *
 * @example
 * const resume = await readExported(createReadStream("events.jsonl"));
 * for await (const line of exportEvents(port, { table: "events" }, { resume })) process.stdout.write(line);
 */
export async function readExported(chunks: TextChunks): Promise<ExportedSoFar> {
  const ids = new Set<string>();
  let partial: ExportedSoFar["partial"];
  let complete = false;
  let lines = 0;
  let bytes = 0;
  /** Rows of an atomic write that has not ended yet. */
  let inBatch = 0;
  for await (const { line, number, bytesSoFar } of exportLines(chunks)) {
    if ("sequenceNr" in line && line.batch !== undefined && line.batch[0] < line.batch[1]) {
      inBatch++;
      continue;
    }
    lines = number;
    bytes = bytesSoFar;
    if ("id" in line && partial?.persistenceId !== line.id) {
      partial = { persistenceId: line.id, sequenceNr: 0, events: 0 };
    } else if ("sequenceNr" in line) {
      const { persistenceId, sequenceNr } = line;
      const events = (partial?.events ?? 0) + inBatch + 1;
      partial = { persistenceId, sequenceNr, events, last: { event: line, line: number } };
      inBatch = 0;
    } else if ("end" in line) {
      ids.add(line.end);
      partial = undefined;
    } else if ("complete" in line) complete = true;
  }
  return { lines, bytes, ids, partial, complete };
}
