import type { RepairStep } from "@tablekeep/journal";
import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { findJournal } from "../journal/find-journal.ts";
import {
  type AkkaFlag,
  addAkkaOption,
  addJournalOptions,
  type JournalFlags,
} from "../journal/journal-flags.ts";
import {
  addRateOptions,
  addSourceOption,
  type RateFlags,
  type SourceFlags,
  withProgress,
} from "../journal/tool-flags.ts";
import { printable } from "../printable.ts";
import { grouped } from "../progress.ts";

interface RepairFlags extends JournalFlags, AkkaFlag, RateFlags, SourceFlags {
  readonly apply?: true;
  readonly yes?: true;
}

/** `tablekeep journal repair` */
export function addJournalRepairCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "repair", {
    summary: "heal what can be healed without losing an event",
    description:
      "Lists what can be healed: high marks that are missing, what staged writes and deletions left, ids that are not registered. Changes the table only with --apply, and never an event.",
    examples: ["npx tablekeep journal repair", "npx tablekeep journal repair cart-17 --apply --yes"],
  })
    .argument("[id]", "one persistence id only")
    .option("--apply", "do it; without it nothing is changed")
    .option("--yes", "do not ask");
  addJournalOptions(addAkkaOption(addRateOptions(addSourceOption(command)))).action(
    (id: string | undefined, flags: RepairFlags) => repair(id, flags, context),
  );
}

async function repair(
  persistenceId: string | undefined,
  flags: RepairFlags,
  { io, print, printNext }: CommandContext,
): Promise<void> {
  const { repairJournal } = await import("@tablekeep/journal");
  const { source, apply = false } = flags;
  await using found = await findJournal(flags, io);
  if (apply) await confirm(io, flags.yes, `This changes the table ${found.table}.`);
  let steps = 0;
  await withProgress(io, flags, "looked at", async (options) => {
    const run = { ...options, persistenceId, source, apply };
    for await (const step of repairJournal(found.port, found.journal, run)) {
      steps++;
      await printNext(
        () => stepText(step),
        () => ({ status: step.status, ...step.finding }),
      );
    }
  });
  const what = apply ? "Repaired" : "Found";
  const how = apply ? "." : " to repair. Nothing was changed; --apply does it.";
  print(`${what} ${grouped(steps)} things${how}`, { applied: apply, steps });
}

function stepText({ status, finding: { persistenceId, repair: change, message } }: RepairStep): string {
  return printable(`${status.padEnd(11)}${change.action.padEnd(22)} ${persistenceId}: ${message}`);
}
