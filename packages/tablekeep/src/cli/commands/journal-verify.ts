import type { Finding, RepairStep } from "@tablekeep/journal/tools";
import type { Command } from "commander";
import { addCommand, addConfirmOption, type ConfirmFlag } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, confirm, printable } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { findJournal, findJournalToChange, requireId } from "../journal/find-journal.ts";
import {
  type AkkaFlag,
  addAkkaOption,
  addJournalOptions,
  addRateOptions,
  addSourceOption,
  type JournalFlags,
  type RateFlags,
  type SourceFlags,
  withProgress,
} from "../journal/journal-flags.ts";
import { addToolOptions, runTool, type ToolFlags } from "../journal/journal-tool.ts";

/** A finding as one line. */
function findingText({ severity, kind, persistenceId, message }: Finding): string {
  return printable(`${severity.padEnd(8)}${kind.padEnd(20)} ${persistenceId}: ${message}`);
}

/** `tablekeep journal verify` */
export function addJournalVerifyCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "verify", {
    summary: "check a journal for damage",
    description:
      "Reads a journal or one id and prints every finding. Changes nothing. Exits with 9 if there are errors or warnings.",
    examples: ["npx tablekeep journal verify", "npx tablekeep journal verify cart-17 --json"],
  });
  addToolOptions(command).action((id: string | undefined, flags: ToolFlags) => verify(id, flags, context));
}

async function verify(
  persistenceId: string | undefined,
  flags: ToolFlags,
  { io, print, printNext }: CommandContext,
): Promise<void> {
  const { verifyJournal } = await import("@tablekeep/journal/tools");
  const { summary } = await runTool(
    io,
    { persistenceId, flags, verb: "verified" },
    async ({ port, journal }, options) => {
      const verification = verifyJournal(port, journal, options);
      for await (const finding of verification) {
        await printNext(
          () => findingText(finding),
          () => finding,
        );
      }
      return verification.summary;
    },
  );
  const { ids, rows, error, warning, info } = summary;
  const counts = [counted(error, "error"), counted(warning, "warning"), counted(info, "note")].join(", ");
  print(`Read ${counted(rows, "row")} of ${counted(ids, "id")}: ${counts}.`, { summary });
  if (error + warning === 0) return;
  throw new CliError(
    "CLI_JOURNAL_DAMAGED",
    `${counted(error, "error")} and ${counted(warning, "warning")}: "tablekeep journal repair" lists what can be repaired`,
  );
}

interface RepairFlags extends JournalFlags, AkkaFlag, RateFlags, SourceFlags, ConfirmFlag {
  readonly apply?: true;
}

/** `tablekeep journal repair` */
export function addJournalRepairCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "repair", {
    summary: "repair damage without losing an event",
    description:
      "Lists possible repairs: missing high marks, remains of staged writes and deletions, unregistered ids. Changes the table only with --apply, and never an event.",
    examples: ["npx tablekeep journal repair", "npx tablekeep journal repair cart-17 --apply --yes"],
  })
    .argument("[id]", "only this persistence id")
    .option("--apply", "apply the repairs; without it nothing is changed");
  addJournalOptions(addAkkaOption(addRateOptions(addSourceOption(addConfirmOption(command))))).action(
    (id: string | undefined, flags: RepairFlags) => repair(id, flags, context),
  );
}

async function repair(
  persistenceId: string | undefined,
  flags: RepairFlags,
  { io, print, printNext }: CommandContext,
): Promise<void> {
  const { repairJournal } = await import("@tablekeep/journal/tools");
  const { source, apply = false } = flags;
  await using found = await (apply ? findJournalToChange : findJournal)(flags, io);
  if (apply) await confirm(io, flags.yes, `This changes the table ${found.table}.`);
  let steps = 0;
  await withProgress(io, { rates: flags, verb: "checked" }, async (options) => {
    const run = { ...options, persistenceId, source, apply };
    for await (const step of repairJournal(found.port, found.journal, run)) {
      steps++;
      await printNext(
        () => stepText(step),
        () => ({ status: step.status, ...step.finding }),
      );
    }
  });
  // Not earlier: an id without events may still have remains to repair.
  if (steps === 0 && persistenceId !== undefined) await requireId(found, persistenceId, io.signal);
  const problems = counted(steps, "problem");
  const text = apply
    ? `Repaired ${problems}.`
    : `Found ${problems} that can be repaired. Nothing was changed: pass --apply to repair.`;
  print(text, { applied: apply, steps });
}

function stepText({ status, finding: { persistenceId, repair: change, message } }: RepairStep): string {
  return printable(`${status.padEnd(11)}${change.action.padEnd(22)} ${persistenceId}: ${message}`);
}
