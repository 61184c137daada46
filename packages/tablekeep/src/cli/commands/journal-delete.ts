import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { findJournal, requireId } from "../journal/find-journal.ts";
import {
  type AkkaFlag,
  addAkkaOption,
  addJournalOptions,
  type JournalFlags,
} from "../journal/journal-flags.ts";
import { addRateOptions, type RateFlags, ratesOf } from "../journal/tool-flags.ts";
import { parseWhole } from "../parse-number.ts";
import { printable } from "../printable.ts";

interface DeleteFlags extends JournalFlags, AkkaFlag, RateFlags {
  readonly to: number;
  readonly yes?: true;
}

/** `tablekeep journal delete` */
export function addJournalDeleteCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "delete", {
    summary: "delete the events of an id up to a number",
    description:
      "Deletes the events of a persistence id up to and with a number. Their data is gone at once; their numbers are never given again. Run it again if it was cut off.",
    examples: ["npx tablekeep journal delete cart-17 --to 120 --yes"],
  })
    .argument("<id>", "the persistence id")
    .requiredOption("--to <number>", "the last sequence number to delete", parseWhole(0))
    .option("--yes", "do not ask");
  addJournalOptions(addAkkaOption(addRateOptions(command))).action((id: string, flags: DeleteFlags) =>
    deleteEvents(id, flags, context),
  );
}

async function deleteEvents(
  persistenceId: string,
  flags: DeleteFlags,
  { io, print }: CommandContext,
): Promise<void> {
  const { openJournal } = await import("@tablekeep/journal");
  await using found = await findJournal(flags, io);
  const { signal } = io;
  const id = printable(persistenceId);
  await requireId(found, persistenceId, signal);
  await confirm(io, flags.yes, `This deletes the events of ${id} up to ${flags.to}, for good.`);
  const journal = await openJournal(found.port, found.journal);
  await journal.deleteTo(persistenceId, flags.to, { signal, ...ratesOf(flags) });
  const lowest = await journal.lowestSequenceNr(persistenceId, { signal });
  const highest = await journal.highestSequenceNr(persistenceId, { signal });
  const left = lowest > highest ? "none are left" : `${lowest} to ${highest} are left`;
  print(`Deleted the events of ${id} up to ${flags.to}: ${left}.`, { persistenceId, lowest, highest });
}
