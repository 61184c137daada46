import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { counted, grouped } from "../frame/progress.ts";
import { openReadable } from "../journal/event-files.ts";
import { findTarget, type TargetFlags } from "../journal/find-journal.ts";
import {
  type AkkaFlag,
  addAkkaOption,
  addCopyOption,
  addJournalOptions,
  addRateOptions,
  type CopyFlags,
  type JournalFlags,
  type RateFlags,
  withProgress,
} from "../journal/journal-flags.ts";
import { addCreateOption, openStore } from "../store/open-store.ts";

interface ImportFlags extends JournalFlags, AkkaFlag, RateFlags, CopyFlags {}

/** `tablekeep journal import` */
export function addJournalImportCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "import", {
    summary: "import exported events",
    description:
      "Writes the events of an export into a journal, with their sequence numbers. Nothing is overwritten: an event that exists must be the same. Run it again if it is interrupted.",
    examples: [
      "npx tablekeep journal import events.ndjson",
      "npx tablekeep journal import events.ndjson --create --layout linear --table events",
    ],
  }).argument("<file>", "file written by export");
  addCopyOption(addCreateOption(command, "the table and the data folder"));
  addJournalOptions(addAkkaOption(addRateOptions(command))).action((file: string, flags: ImportFlags) =>
    importFrom(file, flags, context),
  );
}

async function importFrom(
  file: string,
  flags: ImportFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { importEvents } = await import("@tablekeep/journal/tools");
  await using exported = await openReadable(file);
  await using store = await openStore(flags, io, { canCreate: true });
  const { port } = store;
  const journal = await findTarget(store, targetOf(flags), io.signal);
  const { allowUnreadableByAkka } = flags;
  const chunks = exported.isFile ? exported.chunks : exported.chunks();
  const summary = await withProgress(
    io,
    { rates: flags, verb: "imported", partDone: () => exported.partRead },
    (options) => importEvents(port, chunks, journal, { ...options, allowUnreadableByAkka }),
  );
  const { ids, events, written } = summary;
  const there = events === written ? "" : `; ${grouped(events - written)} already existed`;
  printDone(`Imported ${counted(written, "event")} of ${counted(ids, "id")} into ${journal.table}${there}.`, {
    table: journal.table,
    ...summary,
  });
}

function targetOf({ table, layout, journalName, sequenceShards, akka, create }: ImportFlags): TargetFlags {
  return { table, layout, journalName, sequenceShards, akka, create };
}
