import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { findJournal, knowsId, unknownId } from "../journal/find-journal.ts";
import {
  type AkkaFlag,
  addAkkaOption,
  addJournalOptions,
  type JournalFlags,
} from "../journal/journal-flags.ts";
import { addRateOptions, type RateFlags, ratesOf } from "../journal/tool-flags.ts";
import { printable } from "../printable.ts";

interface PurgeFlags extends JournalFlags, AkkaFlag, RateFlags {
  readonly yes?: true;
}

/** `tablekeep journal purge` */
export function addJournalPurgeCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "purge", {
    summary: "forget an id altogether",
    description:
      "Removes everything of a persistence id: events, marks, and the memory of its numbers, so that it begins at 1 again. Only for ids without a live writer. Snapshots of the id and the replies of its commands are left. Run it again if it was cut off.",
    examples: ["npx tablekeep journal purge cart-17 --yes"],
  })
    .argument("<id>", "the persistence id")
    .option("--yes", "do not ask");
  addJournalOptions(addAkkaOption(addRateOptions(command))).action((id: string, flags: PurgeFlags) =>
    purge(id, flags, context),
  );
}

async function purge(persistenceId: string, flags: PurgeFlags, { io, print }: CommandContext): Promise<void> {
  const { openJournal } = await import("@tablekeep/journal");
  await using found = await findJournal(flags, io);
  const id = printable(persistenceId);
  await confirm(io, flags.yes, `This removes ${id} with all its events and its numbers, for good.`);
  const journal = await openJournal(found.port, found.journal);
  const isKnown = await knowsId(journal, persistenceId, io.signal);
  // Also for an unknown id: an earlier purge may have been cut off.
  await journal.purge(persistenceId, { signal: io.signal, ...ratesOf(flags) });
  if (!isKnown) throw unknownId(found, persistenceId);
  print(`Removed ${id}. Its snapshots and the replies of its commands are left, if it has any.`, {
    persistenceId,
    left: ["snapshots", "commands"],
  });
}
