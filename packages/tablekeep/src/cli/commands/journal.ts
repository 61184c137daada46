import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addJournalDeleteCommand, addJournalPurgeCommand } from "./journal-delete.ts";
import { addJournalExportCommand } from "./journal-export.ts";
import { addJournalImportCommand } from "./journal-import.ts";
import { addJournalMigrateCommand } from "./journal-migrate.ts";
import {
  addJournalIdsCommand,
  addJournalShowCommand,
  addJournalStatsCommand,
  addJournalTailCommand,
} from "./journal-read.ts";
import { addJournalRepairCommand, addJournalVerifyCommand } from "./journal-verify.ts";

/** `tablekeep journal …`: looks into event journals, checks and heals them, and moves them. */
export function addJournalCommand(program: Command, context: CommandContext): void {
  const journal = addCommand(program, "journal", {
    summary: "look into event journals, check, heal and move them",
    description:
      "Looks into event journals, checks and heals them, and moves them: those of this program and those of the Akka plugins.",
    examples: ["npx tablekeep journal show cart-17", "npx tablekeep journal verify --region eu-west-1"],
  });
  const commands = [
    addJournalIdsCommand,
    addJournalShowCommand,
    addJournalTailCommand,
    addJournalStatsCommand,
    addJournalVerifyCommand,
    addJournalRepairCommand,
    addJournalExportCommand,
    addJournalImportCommand,
    addJournalMigrateCommand,
    addJournalDeleteCommand,
    addJournalPurgeCommand,
  ];
  for (const addTo of commands) addTo(journal, context);
}
