import type { Command } from "commander";
import { addCommand, addConfirmOption, type ConfirmFlag, parseInteger } from "../frame/add-command.ts";
import { type CommandContext, confirm, printable } from "../frame/command-context.ts";
import { findJournalToChange, knowsId, requireId, unknownId } from "../journal/find-journal.ts";
import {
  type AkkaFlag,
  addAkkaOption,
  addJournalOptions,
  addRateOptions,
  type JournalFlags,
  type RateFlags,
  ratesOf,
} from "../journal/journal-flags.ts";

interface DeleteFlags extends JournalFlags, AkkaFlag, RateFlags, ConfirmFlag {
  readonly to: number;
}

/** `tablekeep journal delete` */
export function addJournalDeleteCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "delete", {
    summary: "delete the events of an id up to a sequence number",
    description:
      "Deletes the events of a persistence id up to and including a sequence number. Their data is removed at once; their sequence numbers are never reused. Run it again if it is interrupted.",
    examples: ["npx tablekeep journal delete cart-17 --to 120 --yes"],
  })
    .argument("<id>", "persistence id")
    .requiredOption("--to <number>", "last sequence number to delete", parseInteger(1));
  addJournalOptions(addAkkaOption(addRateOptions(addConfirmOption(command)))).action(
    (id: string, flags: DeleteFlags) => deleteEvents(id, flags, context),
  );
}

async function deleteEvents(
  persistenceId: string,
  flags: DeleteFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { openJournal } = await import("@tablekeep/journal");
  await using found = await findJournalToChange(flags, io);
  const { signal } = io;
  const id = printable(persistenceId);
  await requireId(found, persistenceId, signal);
  await confirm(io, flags.yes, `This permanently deletes the events of ${id} up to ${flags.to}.`);
  const journal = await openJournal(found.port, found.journal);
  await journal.deleteTo(persistenceId, flags.to, { signal, ...ratesOf(flags) });
  const lowest = await journal.lowestSequenceNr(persistenceId, { signal });
  const highest = await journal.highestSequenceNr(persistenceId, { signal });
  const left = lowest > highest ? "none are left" : `${lowest} to ${highest} are left`;
  printDone(`Deleted the events of ${id} up to ${flags.to}: ${left}.`, { persistenceId, lowest, highest });
}

interface PurgeFlags extends JournalFlags, AkkaFlag, RateFlags, ConfirmFlag {}

/** `tablekeep journal purge` */
export function addJournalPurgeCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "purge", {
    summary: "remove an id completely",
    description:
      "Removes all events and marks of a persistence id, so that it starts at 1 again. Use it only for ids without a live writer. Keeps the id's command replies, and its snapshots unless they are beside the events of a packed journal. Run it again if it is interrupted.",
    examples: ["npx tablekeep journal purge cart-17 --yes"],
  }).argument("<id>", "persistence id");
  addJournalOptions(addAkkaOption(addRateOptions(addConfirmOption(command)))).action(
    (id: string, flags: PurgeFlags) => purge(id, flags, context),
  );
}

async function purge(
  persistenceId: string,
  flags: PurgeFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { openJournal } = await import("@tablekeep/journal");
  await using found = await findJournalToChange(flags, io);
  const id = printable(persistenceId);
  // A confirmed purge also continues an interrupted one, whose id is no longer known.
  if (flags.yes !== true) await requireId(found, persistenceId, io.signal);
  await confirm(io, flags.yes, `This permanently removes ${id} with all its events and sequence numbers.`);
  const journal = await openJournal(found.port, found.journal);
  const isKnown = await knowsId(journal, persistenceId, io.signal);
  // Also for an unknown id: an earlier purge may have been interrupted.
  await journal.purge(persistenceId, { signal: io.signal, ...ratesOf(flags) });
  if (!isKnown) throw unknownId(found, persistenceId);
  const isPacked = journal.layout === "packed";
  const text = isPacked
    ? `Removed ${id} and the snapshots beside its events. Its command replies are kept.`
    : `Removed ${id}. Its snapshots and command replies are kept.`;
  printDone(text, { persistenceId, left: isPacked ? ["commands"] : ["snapshots", "commands"] });
}
