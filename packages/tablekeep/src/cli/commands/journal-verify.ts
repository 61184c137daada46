import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { findJournal, requireId } from "../journal/find-journal.ts";
import { findingText } from "../journal/finding-text.ts";
import { addJournalOptions, type JournalFlags } from "../journal/journal-flags.ts";
import {
  addRateOptions,
  addSourceOption,
  type RateFlags,
  type SourceFlags,
  withProgress,
} from "../journal/tool-flags.ts";
import { grouped } from "../progress.ts";

type VerifyFlags = JournalFlags & RateFlags & SourceFlags;

/** `tablekeep journal verify` */
export function addJournalVerifyCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "verify", {
    summary: "look for damage",
    description:
      "Reads a journal, or one id of it, and prints everything that is not as it should be. Changes nothing. Errors and warnings end it with exit code 9.",
    examples: ["npx tablekeep journal verify", "npx tablekeep journal verify cart-17 --json"],
  }).argument("[id]", "one persistence id only");
  addJournalOptions(addRateOptions(addSourceOption(command))).action(
    (id: string | undefined, flags: VerifyFlags) => verify(id, flags, context),
  );
}

async function verify(
  persistenceId: string | undefined,
  flags: VerifyFlags,
  { io, print, printNext }: CommandContext,
): Promise<void> {
  const { verifyJournal } = await import("@tablekeep/journal");
  await using found = await findJournal(flags, io);
  const { source } = flags;
  if (persistenceId !== undefined) await requireId(found, persistenceId, io.signal);
  const summary = await withProgress(io, flags, "verified", async (options) => {
    const verification = verifyJournal(found.port, found.journal, { ...options, persistenceId, source });
    for await (const finding of verification) {
      await printNext(
        () => findingText(finding),
        () => finding,
      );
    }
    return verification.summary;
  });
  const { ids, rows, error, warning, info } = summary;
  const counts = `${grouped(error)} errors, ${grouped(warning)} warnings, ${grouped(info)} notes`;
  print(`Read ${grouped(rows)} rows of ${grouped(ids)} ids: ${counts}.`, { summary });
  if (error + warning === 0) return;
  throw new CliError(
    "CLI_JOURNAL_DAMAGED",
    `${error} errors and ${warning} warnings: "tablekeep journal repair" lists what can be healed`,
  );
}
