import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addJournalCompactCommand } from "./journal-compact.ts";
import { addJournalDeleteCommand, addJournalPurgeCommand } from "./journal-delete.ts";
import { addJournalExpireCommand } from "./journal-expire.ts";
import { addJournalExportCommand } from "./journal-export.ts";
import { addJournalImportCommand } from "./journal-import.ts";
import { addJournalMigrateCommand } from "./journal-migrate.ts";
import { addJournalPutCommand } from "./journal-put.ts";
import {
  addJournalGetCommand,
  addJournalListCommand,
  addJournalStatsCommand,
  addJournalWatchCommand,
} from "./journal-read.ts";
import { addJournalRepairCommand, addJournalVerifyCommand } from "./journal-verify.ts";
import { addJournalWaitCommand } from "./journal-wait.ts";

/** `tablekeep journal …`: inspects, verifies, repairs and copies event journals. */
export function addJournalCommand(program: Command, context: CommandContext): void {
  const journal = addCommand(program, "journal", {
    summary: "inspect, verify, repair and copy event journals",
    description:
      "Inspects, verifies, repairs and copies event journals of this program and of the Akka plugins.",
    examples: ["npx tablekeep journal get cart-17", "npx tablekeep journal verify --region eu-west-1"],
  });
  const commands = [
    addJournalListCommand,
    addJournalGetCommand,
    addJournalPutCommand,
    addJournalWatchCommand,
    addJournalWaitCommand,
    addJournalStatsCommand,
    addJournalVerifyCommand,
    addJournalRepairCommand,
    addJournalCompactCommand,
    addJournalExpireCommand,
    addJournalExportCommand,
    addJournalImportCommand,
    addJournalMigrateCommand,
    addJournalDeleteCommand,
    addJournalPurgeCommand,
  ];
  for (const addTo of commands) addTo(journal, context);
}
