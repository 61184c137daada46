import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { printEvents } from "../journal/event-output.ts";
import { findJournal, requireId } from "../journal/find-journal.ts";
import { addJournalOptions, type JournalFlags } from "../journal/journal-flags.ts";
import { parseWhole } from "../parse-number.ts";

interface ShowFlags extends JournalFlags {
  readonly from?: number;
  readonly to?: number;
  readonly max?: number;
}

/** `tablekeep journal show` */
export function addJournalShowCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "show", {
    summary: "print the events of an id",
    description:
      "Prints the events of a persistence id in order, one a line. An id that the journal does not know is an error. Nothing is written to the table.",
    examples: [
      "npx tablekeep journal show cart-17",
      "npx tablekeep journal show cart-17 --from 100 --max 20 --json",
    ],
  })
    .argument("<id>", "the persistence id")
    .option("--from <number>", "the first sequence number", parseWhole(-1))
    .option("--to <number>", "the last sequence number", parseWhole(0))
    .option("--max <number>", "events at most", parseWhole(0));
  addJournalOptions(command).action((id: string, flags: ShowFlags) => show(id, flags, context));
}

async function show(id: string, flags: ShowFlags, context: CommandContext): Promise<void> {
  const { openJournalReader } = await import("@tablekeep/journal");
  await using found = await findJournal(flags, context.io);
  const journal = await openJournalReader(found.port, found.journal);
  const { from, to, max } = flags;
  const { signal } = context.io;
  await requireId(found, id, signal);
  await printEvents(journal.replay(id, { from, to, max, signal }), context);
}
