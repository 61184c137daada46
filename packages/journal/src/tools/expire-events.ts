import { type DynamoPort, optionCheck } from "@tablekeep/core";
import type { JournalOptions } from "../context/journal-options.ts";
import { checkOptions } from "../errors/journal-error.ts";
import { expireId } from "../expire/expire-id.ts";
import { openToWrite } from "./open-tool.ts";
import { type IdChoice, toolIds } from "./tool-ids.ts";
import { ProgressReport, type ToolOptions, toolOptionChecks } from "./tool-options.ts";

export interface ExpireOptions extends ToolOptions, IdChoice {}

/** The result of removing expired events. */
export interface ExpireSummary {
  readonly ids: number;
  /** Events whose payload and metadata were removed. */
  readonly events: number;
}

/**
 * Removes payload and metadata of events that have expired. Their sequence numbers, ids, tags and times stay, and replays return them as
 * `gone: "expired"`, as before. The journal may be read and written meanwhile. Can be stopped and run again.
 *
 * @example
 * const { events } = await expireEvents(port, { table: "events" }, { maxUnitsPerSecond: 50 });
 */
export async function expireEvents(
  port: DynamoPort,
  journal: JournalOptions = {},
  options: ExpireOptions = {},
): Promise<ExpireSummary> {
  checkOptions(options, {
    ...toolOptionChecks,
    persistenceId: optionCheck.id,
    source: optionCheck.oneOf("registry", "index", "scan"),
  });
  const tool = await openToWrite(port, journal, options);
  const report = new ProgressReport(options);
  let events = 0;
  for await (const { persistenceId } of toolIds(tool, options, report)) {
    events += await expireId(tool.context, persistenceId, tool.call);
    report.id(persistenceId);
  }
  return { ids: report.ids, events };
}
