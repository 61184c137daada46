import { checkPort, type DynamoPort, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkId } from "../../context/journal-context.ts";
import { type JournalOptions, resolveJournalOptions } from "../../context/journal-options.ts";
import { checkOptions, optionInvalid } from "../../errors/journal-error.ts";
import { readPosition } from "../../protocol/position.ts";
import { openToRead, openToWrite, type Tool } from "../open-tool.ts";
import { checkShards, type IdChoice, type ToolId, toolIds } from "../tool-ids.ts";
import { ProgressReport, type ToolOptions, toolOptionChecks } from "../tool-options.ts";
import { type AkkaCheck, type AkkaCopyOptions, akkaCheck, readableWrites } from "./akka-readable.ts";
import { copyRefused } from "./copy-errors.ts";
import { type CopiedId, copyId } from "./copy-id.ts";
import { auditedWrites } from "./live-writes.ts";

/** A journal and its location. */
export interface JournalLocation {
  readonly port: DynamoPort;
  /** @default the defaults of `openJournal` */
  readonly journal?: JournalOptions;
}

export interface MigrateOptions extends ToolOptions, IdChoice, AkkaCopyOptions {
  /** The journal to read. Nothing is written to it. */
  readonly from: JournalLocation;
  /** The journal to write. Its table must exist. It may have some of the events already, from an earlier run. */
  readonly to: JournalLocation;
  /** Ids that are copied at the same time. @default 4 */
  readonly parallel?: number;
}

/** The result of a migration. */
export interface MigrationSummary {
  readonly ids: number;
  /** Events of the source. */
  readonly events: number;
  /** Events that were written now; the others were there already, and are the same. */
  readonly written: number;
}

const placeChecks: OptionChecks<JournalLocation> = {
  port: optionCheck.port,
  journal: optionCheck.objectWith(),
};

/** Throws `JOURNAL_OPTION_INVALID` for a place without a port. What its journal is opened with is checked when it is opened. */
function checkPlace(name: "from" | "to", place: JournalLocation): void {
  checkOptions(place, placeChecks, name);
  checkPort(place.port, optionInvalid, `${name}.port`);
}

/**
 * Copies a journal to another: to another layout, table or item format. Sequence numbers, writers, times, tags, metadata,
 * atomic writes and deletions are kept. It continues from the target's own position, so it can be interrupted and run
 * again, also to catch up with a source that is still being written. Every id is read back and compared. An id with different
 * events in the target, or with more of them, is rejected.
 *
 * @example
 * const { ids, events } = await migrateJournal({
 *   from: { port, journal: { table: "akka-persistence", layout: "bucketed" } },
 *   to: { port, journal: { table: "events" } },
 * });
 */
export async function migrateJournal(options: MigrateOptions): Promise<MigrationSummary> {
  checkOptions(options, {
    ...toolOptionChecks,
    persistenceId: optionCheck.id,
    source: optionCheck.oneOf("registry", "index", "scan"),
    parallel: optionCheck.integer(1, 100),
    allowUnreadableByAkka: optionCheck.boolean,
    from: optionCheck.anything,
    to: optionCheck.anything,
  });
  const { from, to, parallel = 4 } = options;
  checkPlace("from", from);
  checkPlace("to", to);
  const source = await openToRead(from.port, from.journal ?? {}, options);
  if (from.port === to.port && samePlace(source, to.journal ?? {}))
    throw optionInvalid("to", "must not be the same journal as from");
  const target = await openToWrite(to.port, to.journal ?? {}, options);
  const check = akkaCheck(target, options);
  const report = new ProgressReport(options);
  let events = 0;
  let written = 0;
  const ids = toolIds(source, options, report);
  const stop = { now: false };
  const worker = async () => {
    for (;;) {
      const { value: id, done } = await ids.next();
      if (done || stop.now) return;
      const copied = await migrateId(source, target, id, report, check).catch((error: unknown) => {
        stop.now = true;
        throw error;
      });
      events += copied.events;
      written += copied.written;
      report.id(id.persistenceId);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: parallel }, worker));
  for (const result of workers) if (result.status === "rejected") throw result.reason;
  return { ids: report.ids, events, written };
}

async function migrateId(
  source: Tool,
  target: Tool,
  id: ToolId,
  report: ProgressReport,
  check: AkkaCheck | undefined,
): Promise<CopiedId> {
  const { context, call } = source;
  const { persistenceId } = id;
  const { lowest, low, highest } = await readPosition(context, persistenceId, call);
  checkShards(source, id, { highest, low });
  await refuseLonger(source, target, persistenceId, highest);
  const range = { from: lowest, to: highest, low };
  const writes = () => readableWrites(source, auditedWrites(source, id, range), check);
  // All of the id first: nothing is written of one that Akka could not recover.
  if (check !== undefined) for await (const _checked of writes());
  const onRows = (count: number) => report.row(persistenceId, count);
  return copyId(
    target,
    { persistenceId, lowest, highest: () => highest, writes: writes() },
    { followDeletes: "always", onRows },
  );
}

/** Throws if the target has events after the last of the source: they came from elsewhere, or the source was purged or restored since. */
async function refuseLonger(
  source: Tool,
  target: Tool,
  persistenceId: string,
  highest: number,
): Promise<void> {
  checkId(target.context, persistenceId);
  const { highest: there } = await readPosition(target.context, persistenceId, target.call);
  if (there <= highest) return;
  // Another migration may have copied what was appended to the source meanwhile.
  const { highest: now } = await readPosition(source.context, persistenceId, source.call);
  if (there > now)
    throw copyRefused(persistenceId, now + 1, `the target ends at ${there}, and the source at ${now}`);
}

function samePlace({ context, settings }: Tool, journal: JournalOptions): boolean {
  const { table, layout, journalName } = resolveJournalOptions(journal);
  return table === context.table && layout === context.layout.name && journalName === settings.journalName;
}
