import { optionInvalid } from "../../errors/journal-error.ts";
import { exportInvalid } from "../copy/copy-errors.ts";
import type { ExportedEvent, ExportLine } from "./export-line.ts";

/** No export has longer lines: an item has at most 400 KB. */
const maxLineBytes = 16 * 1024 * 1024;

/** A line of an export with its number, from 1, and the bytes up to its end. */
export interface NumberedLine {
  readonly line: ExportLine;
  readonly number: number;
  readonly bytesSoFar: number;
}

/** Throws `JOURNAL_OPTION_INVALID` if the chunks cannot be iterated. */
export function checkChunks(chunks: unknown): void {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(chunks) as Partial<
    AsyncIterable<unknown> & Iterable<unknown>
  >;
  if (typeof later !== "function" && typeof now !== "function")
    throw optionInvalid("chunks", "must be an iterable of strings or bytes, such as a readable stream");
}

/** Cuts text or bytes into lines and parses them. A last line without its line break is left out: it was interrupted. */
export async function* exportLines(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<NumberedLine, void, undefined> {
  checkChunks(chunks);
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
    if (restBytes > maxLineBytes) throw exportInvalid(number + 1, "is longer than any event");
  }
}

function asBuffer(bytes: unknown): Buffer {
  if (!(bytes instanceof Uint8Array))
    throw optionInvalid("chunks", "must contain only strings and Uint8Array objects");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function parsed(bytes: Buffer, number: number): ExportLine {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
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
export async function readExported(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<ExportedSoFar> {
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
