import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { findJournal } from "../journal/find-journal.ts";
import { addJournalOptions, type JournalFlags } from "../journal/journal-flags.ts";
import { addSourceOption, type SourceFlags } from "../journal/tool-flags.ts";
import { printable } from "../printable.ts";

interface IdsFlags extends JournalFlags, SourceFlags {
  readonly after?: string;
}

/** `tablekeep journal ids` */
export function addJournalIdsCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "ids", {
    summary: "list the persistence ids",
    description:
      "Lists the persistence ids of a journal, one a line. A scan reads the whole table and finds all ids that have an event; the registry is cheap and knows those that this program began or has registered.",
    examples: ["npx tablekeep journal ids", "npx tablekeep journal ids --source registry --region eu-west-1"],
  });
  addSourceOption(command).option("--after <cursor>", "go on after this place in the registry");
  addJournalOptions(command).action((flags: IdsFlags) => ids(flags, context));
}

async function ids(flags: IdsFlags, { io, printNext }: CommandContext): Promise<void> {
  const { openJournalReader } = await import("@tablekeep/journal");
  await using found = await findJournal(flags, io);
  const journal = await openJournalReader(found.port, found.journal);
  const { source, after } = flags;
  for await (const id of journal.currentPersistenceIds({ source, after, signal: io.signal })) {
    await printNext(
      () => printable(id.persistenceId),
      () => id,
    );
  }
}
