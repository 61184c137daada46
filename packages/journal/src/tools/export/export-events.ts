import { type DynamoPort, optionCheck } from "@tablekeep/core";
import type { JournalOptions } from "../../context/journal-options.ts";
import { checkOptions, type JournalError } from "../../errors/journal-error.ts";
import { readPosition } from "../../protocol/position.ts";
import type { EventRow } from "../../rows/event-row.ts";
import { exportInvalid } from "../copy/copy-errors.ts";
import { auditedWrites } from "../copy/live-writes.ts";
import { isPlaceholder, isSameEvent } from "../copy/placeholder.ts";
import { openToRead, type Tool } from "../open-tool.ts";
import { checkShards, type IdChoice, type ToolId, toolIds } from "../tool-ids.ts";
import { ProgressReport, type ToolOptions, toolOptionChecks } from "../tool-options.ts";
import type { ExportLine } from "./export-format.ts";
import { exportedEvent } from "./exported-event.ts";
import { importedRow } from "./imported-id.ts";
import type { ExportedSoFar, PartlyExported } from "./read-export.ts";

export interface ExportOptions extends ToolOptions, IdChoice {
  /** The contents of an interrupted export: it is continued after its last complete line. @default nothing */
  readonly resume?: ExportedSoFar;
}

/**
 * Returns the events of a journal as lines of JSON, each with its line break: payloads as bytes and, if JSON can represent
 * them exactly, also decoded. Exports what a replay returns, and softly deleted events. Holds a few pages of events in memory.
 * Throws at damage: verify the journal first.
 *
 * @example
 * for await (const line of exportEvents(port, { table: "events" })) process.stdout.write(line);
 */
export async function* exportEvents(
  port: DynamoPort,
  journal: JournalOptions = {},
  options: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  checkOptions(options, {
    ...toolOptionChecks,
    persistenceId: optionCheck.id,
    source: optionCheck.oneOf("registry", "index", "scan"),
    resume: optionCheck.anything,
  });
  const tool = await openToRead(port, journal, options);
  const report = new ProgressReport(options);
  const { resume } = options;
  if (resume === undefined || resume.lines === 0) yield line({ format: "tablekeep-journal", version: 1 });
  // An import compares it with the ids that it finds. Those that are complete in the file count, whatever became of them since.
  let ids = resume?.ids.size ?? 0;
  let { partial } = resume ?? {};
  for await (const id of toolIds(tool, options, report)) {
    const { persistenceId } = id;
    const begun = partial?.persistenceId === persistenceId ? partial : undefined;
    if (!resume?.ids.has(persistenceId)) ids += yield* exportId(tool, id, begun, report);
    if (begun !== undefined) partial = undefined;
    report.id(persistenceId);
  }
  if (partial !== undefined && partial.events > 0) throw purgedSince(partial);
  yield line({ complete: true, ids });
}

/** The lines of one id. Returns how many ids that are: none if it has never had an event. */
async function* exportId(
  tool: Tool,
  id: ToolId,
  partial: PartlyExported | undefined,
  report: ProgressReport,
): AsyncGenerator<string, 0 | 1, undefined> {
  const { context, call } = tool;
  const { persistenceId } = id;
  const { lowest, low, highest } = await readPosition(context, persistenceId, call);
  checkShards(tool, id, { highest, low });
  if (partial !== undefined && highest < partial.sequenceNr) throw purgedSince(partial);
  // From its beginning, even if a part is already exported: only earlier rows show which writers are superseded.
  const writes = auditedWrites(tool, id, { from: lowest, to: highest, low });
  if (highest === 0) {
    // It has none, unless rows are found that no mark leads to: then this throws.
    await writes.next();
    return 0;
  }
  yield line({ id: persistenceId, lowest, highest });
  let events = partial?.events ?? 0;
  for await (const write of writes) {
    for (const row of write) {
      if (partial !== undefined && row.sequenceNr === partial.sequenceNr) checkSame(partial, row);
      if (isPlaceholder(row) || row.sequenceNr <= (partial?.sequenceNr ?? 0)) continue;
      events++;
      yield line(exportedEvent(context, row));
    }
    report.row(persistenceId, write.length);
  }
  yield line({ end: persistenceId, events });
  return 1;
}

/** Throws if the last exported event is another one now: what follows it belongs to other events than what the file has. */
function checkSame(partial: PartlyExported, row: EventRow): void {
  const { last } = partial;
  if (last === undefined) return;
  // The 0.x plugin deletes softly: the event is still the same.
  const exported = { ...importedRow(last.event, last.line), deleted: row.deleted };
  if (!isSameEvent(exported, row)) throw purgedSince(partial);
}

function purgedSince({ persistenceId, sequenceNr, last }: PartlyExported): JournalError {
  const reason = `has event ${sequenceNr} of ${persistenceId}, which the journal no longer has: the id was purged since (start a new export)`;
  return exportInvalid(last?.line ?? 0, reason);
}

function line(value: ExportLine): string {
  return `${JSON.stringify(value)}\n`;
}
