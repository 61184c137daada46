import { type DynamoPort, optionCheck } from "@tablekeep/core";
import { compactId } from "../compact/compact-id.ts";
import type { JournalOptions } from "../context/journal-options.ts";
import { checkOptions, optionInvalid } from "../errors/journal-error.ts";
import { openToRead } from "./open-tool.ts";
import { type IdChoice, toolIds } from "./tool-ids.ts";
import { ProgressReport, type ToolOptions, toolOptionChecks } from "./tool-options.ts";

export interface CompactOptions extends ToolOptions, IdChoice {}

/** The result of a compaction. */
export interface CompactSummary {
  readonly ids: number;
  /** Items that were merged into others. */
  readonly merged: number;
  /** Items that others were merged into. */
  readonly into: number;
}

/**
 * Merges small consecutive items of a packed journal: an id that was written one event at a time then takes less space and
 * fewer read units. Events, sequence numbers, writers and atomic writes are unchanged. The journal may be read and written
 * meanwhile; items that change during the merge are left as they are. Can be interrupted and run again.
 *
 * @example
 * const { merged, into } = await compactJournal(port, { table: "events" });
 */
export async function compactJournal(
  port: DynamoPort,
  journal: JournalOptions = {},
  options: CompactOptions = {},
): Promise<CompactSummary> {
  checkOptions(options, {
    ...toolOptionChecks,
    persistenceId: optionCheck.id,
    source: optionCheck.oneOf("registry", "index", "scan"),
  });
  // A journal that has no record gets none: it is not packed.
  const tool = await openToRead(port, journal, options);
  if (tool.context.layout.packed === undefined)
    throw optionInvalid(
      "layout",
      `must be "packed", got "${tool.context.layout.name}": only its items can be merged`,
    );
  const report = new ProgressReport(options);
  let merged = 0;
  let into = 0;
  for await (const { persistenceId } of toolIds(tool, options, report)) {
    const done = await compactId(tool.context, persistenceId, tool.call);
    merged += done.merged;
    into += done.into;
    report.row(persistenceId, done.merged);
    report.id(persistenceId);
  }
  return { ids: report.ids, merged, into };
}
