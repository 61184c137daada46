import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { printEvents } from "../journal/event-output.ts";
import { findJournal } from "../journal/find-journal.ts";
import { addJournalOptions, type JournalFlags } from "../journal/journal-flags.ts";
import { parseWhole } from "../parse-number.ts";

interface TailFlags extends JournalFlags {
  readonly from?: number;
  readonly lines: number;
}

/** `tablekeep journal tail` */
export function addJournalTailCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "tail", {
    summary: "print the events of an id as they come",
    description:
      "Prints the last events of a persistence id, and then those that come, until Ctrl+C. The table is asked a few times a second while events come, and every 3 seconds while none do.",
    examples: ["npx tablekeep journal tail cart-17", "npx tablekeep journal tail cart-17 --from 1 --json"],
  })
    .argument("<id>", "the persistence id")
    .option("--from <number>", "begin at this sequence number", parseWhole(1))
    .option("--lines <number>", "begin with so many of the last events", parseWhole(0), 10);
  addJournalOptions(command).action((id: string, flags: TailFlags) => tail(id, flags, context));
}

async function tail(id: string, flags: TailFlags, context: CommandContext): Promise<void> {
  const { openJournalReader } = await import("@tablekeep/journal");
  const { signal } = context.io;
  await using found = await findJournal(flags, context.io);
  try {
    const journal = await openJournalReader(found.port, found.journal);
    const highest = flags.from === undefined ? await journal.highestSequenceNr(id, { signal }) : 0;
    const from = flags.from ?? Math.max(1, highest - flags.lines + 1);
    await printEvents(journal.eventsById(id, { from, signal }), context);
  } catch (error) {
    // Ctrl+C is how it ends.
    if (!signal.aborted) throw error;
  }
}
