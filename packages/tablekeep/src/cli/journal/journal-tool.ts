import type { IdChoice, ToolOptions } from "@tablekeep/journal/tools";
import type { Command } from "commander";
import type { CommandIo } from "../frame/command-context.ts";
import { type FoundJournal, findJournal, findJournalToChange, requireId } from "./find-journal.ts";
import {
  addJournalOptions,
  addRateOptions,
  addSourceOption,
  type JournalFlags,
  type RateFlags,
  type SourceFlags,
  withProgress,
} from "./journal-flags.ts";

/** Options of a command that works on all ids of a journal, or on one. */
export type ToolFlags = JournalFlags & RateFlags & SourceFlags;

/** Adds the argument and the options of a command that works on all ids of a journal, or on one. */
export function addToolOptions(command: Command): Command {
  command.argument("[id]", "only this persistence id");
  return addJournalOptions(addRateOptions(addSourceOption(command)));
}

/** The description of a tool in the program's output. */
export interface ToolCommand {
  readonly persistenceId: string | undefined;
  readonly flags: ToolFlags;
  /** What has been done to the events, as a past tense: `verified`. */
  readonly verb: string;
  /** Whether it changes the table. @default false */
  readonly changes?: true;
}

/** Runs a tool on all ids of a journal, or on one, which must exist. Returns its summary and the journal's table. */
export async function runTool<Summary>(
  io: CommandIo,
  { persistenceId, flags, verb, changes }: ToolCommand,
  run: (found: FoundJournal, options: ToolOptions & IdChoice) => Promise<Summary>,
): Promise<{ readonly summary: Summary; readonly table: string }> {
  await using found = await (changes === true ? findJournalToChange : findJournal)(flags, io);
  if (persistenceId !== undefined) await requireId(found, persistenceId, io.signal);
  const { source } = flags;
  const summary = await withProgress(io, { rates: flags, verb }, (options) =>
    run(found, { ...options, persistenceId, source }),
  );
  return { summary, table: found.table };
}
