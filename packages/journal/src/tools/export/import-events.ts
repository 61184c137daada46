import { checkChunks, type DynamoPort, optionCheck, type TextChunks } from "@tablekeep/core";
import type { JournalOptions } from "../../context/journal-options.ts";
import { checkOptions, optionInvalid } from "../../errors/journal-error.ts";
import { type AkkaCheck, type AkkaCopyOptions, akkaCheck } from "../copy/akka-readable.ts";
import { exportInvalid } from "../copy/copy-errors.ts";
import { type CopiedId, copyId } from "../copy/copy-id.ts";
import { openToWrite, type Tool } from "../open-tool.ts";
import { ProgressReport, type ToolOptions, toolOptionChecks } from "../tool-options.ts";
import type { ExportedId } from "./export-format.ts";
import { checkCount, ImportedId, importedRow } from "./imported-id.ts";
import { chunkErrors, exportLines, LineReader } from "./read-export.ts";

export interface ImportOptions extends ToolOptions, AkkaCopyOptions {}

/** The result of an import. */
export interface ImportSummary {
  readonly ids: number;
  /** Events of the export. */
  readonly events: number;
  /** Events that were written now; the others were there already, and are the same. */
  readonly written: number;
}

/**
 * Writes the events of an export into a journal, with their sequence numbers, writers, times, tags, metadata and atomic
 * writes. Nothing is overwritten: existing events must be the same, and the import continues after them, so an interrupted
 * import can simply be run again. Every id is read back and compared. Holds one atomic write and a few rows in memory.
 *
 * If an Akka plugin shares the table, all events are checked before the first is written, so the export is read twice: pass
 * an array, or a function that opens it.
 *
 * @example
 * const { written } = await importEvents(port, () => createReadStream("events.jsonl"), { table: "events" });
 */
export async function importEvents(
  port: DynamoPort,
  chunks: TextChunks | (() => TextChunks),
  journal: JournalOptions = {},
  options: ImportOptions = {},
): Promise<ImportSummary> {
  checkOptions(options, { ...toolOptionChecks, allowUnreadableByAkka: optionCheck.boolean });
  if (typeof chunks !== "function") checkChunks(chunks, chunkErrors.invalid);
  const target = await openToWrite(port, journal, options);
  const check = akkaCheck(target, options);
  if (check !== undefined) await checkEvents(reopened(chunks), check);
  const lines = new LineReader(exportLines(typeof chunks === "function" ? chunks() : chunks));
  try {
    return await importLines(lines, target, new ProgressReport(options));
  } finally {
    await lines.close();
  }
}

/** Returns the export again, to read it a second time. */
function reopened(chunks: TextChunks | (() => TextChunks)): TextChunks {
  if (typeof chunks === "function") return chunks();
  if (Array.isArray(chunks)) return chunks;
  throw optionInvalid(
    "chunks",
    "must be an array, or a function that opens the export, because Akka shares the table: the events are checked before the first is written",
  );
}

async function checkEvents(chunks: TextChunks, check: AkkaCheck): Promise<void> {
  for await (const { line, number } of exportLines(chunks)) {
    if ("sequenceNr" in line && line.byAkka !== true) check(importedRow(line, number));
  }
}

async function importLines(lines: LineReader, target: Tool, report: ProgressReport): Promise<ImportSummary> {
  const head = await lines.next();
  if (head === undefined || !("format" in head.line) || head.line.format !== "tablekeep-journal")
    throw exportInvalid(1, "is not the head of a journal export");
  if (head.line.version !== 1) throw exportInvalid(1, "has an unknown version: use a newer Tablekeep");
  let events = 0;
  let written = 0;
  /** Events so far of ids that have not ended: where an export was resumed, more of the id follows. */
  const open = new Map<string, number>();
  for (;;) {
    const next = await lines.next();
    if (next === undefined) throw exportInvalid(lines.number + 1, "is missing: the export was cut short");
    if ("complete" in next.line) {
      checkCount(next.number, next.line.ids, report.ids, "ids");
      return { ids: report.ids, events, written };
    }
    if (!("id" in next.line)) throw exportInvalid(next.number, "does not start an id");
    const copied = await importId(lines, target, next.line, report, open);
    events += copied.events;
    written += copied.written;
  }
}

async function importId(
  lines: LineReader,
  target: Tool,
  { id: persistenceId, lowest, highest }: ExportedId,
  report: ProgressReport,
  open: Map<string, number>,
): Promise<CopiedId> {
  const areNumbers = Number.isSafeInteger(lowest) && Number.isSafeInteger(highest);
  if (typeof persistenceId !== "string" || !areNumbers || lowest < 1 || highest < lowest - 1)
    throw exportInvalid(lines.number, "starts an id without its sequence numbers");
  const before = open.get(persistenceId);
  const source = new ImportedId(lines, { persistenceId, lowest, highest }, before ?? 0);
  const copied = await copyId(
    target,
    {
      persistenceId,
      lowest,
      writes: source.writes(),
      // More of it follows where an export was resumed: then its end is not reached yet.
      highest: () => (source.ended ? highest : undefined),
    },
    {
      // Events that are missing between two parts were deleted before the export was resumed.
      followDeletes: before === undefined ? "never" : "gaps",
      onRows: (count) => report.row(persistenceId, count),
    },
  );
  if (source.ended) report.id(persistenceId);
  if (source.ended) open.delete(persistenceId);
  else open.set(persistenceId, source.events);
  return copied;
}
