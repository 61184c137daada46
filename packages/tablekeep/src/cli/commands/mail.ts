import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addMailExportCommand } from "./mail-export.ts";
import { addMailImportCommand } from "./mail-import.ts";
import { addMailLintCommand } from "./mail-lint.ts";
import { addMailGetCommand, addMailListCommand, addMailWaitCommand } from "./mail-read.ts";
import { addMailVerifyCommand } from "./mail-verify.ts";
import { addMailWatchCommand } from "./mail-watch.ts";
import { addMailDeleteCommand, addMailPutCommand } from "./mail-write.ts";

/** `tablekeep mail …`: reads an inbox, and imports and exports messages. */
export function addMailCommand(program: Command, context: CommandContext): void {
  const mail = addCommand(program, "mail", {
    summary: "read, store, export and import mail",
    description:
      "Reads, stores and deletes messages, waits for new ones, follows them, and exports and imports them.",
    examples: ["npx tablekeep mail list", "npx tablekeep mail wait --query to:ben@example.com"],
  });
  const commands = [
    addMailListCommand,
    addMailGetCommand,
    addMailLintCommand,
    addMailPutCommand,
    addMailWaitCommand,
    addMailWatchCommand,
    addMailDeleteCommand,
    addMailExportCommand,
    addMailImportCommand,
    addMailVerifyCommand,
  ];
  for (const addTo of commands) addTo(mail, context);
}
