import { Command } from "commander";
import { readVersion } from "../read-version.ts";
import { exampleText } from "./add-command.ts";
import { type CommandContext, type CommandIo, commandContext } from "./command-context.ts";
import { addBcryptCommand } from "./commands/bcrypt.ts";
import { addDynamoDbCommand } from "./commands/dynamodb.ts";
import { addJournalCommand } from "./commands/journal.ts";
import { addSendmailCommand } from "./commands/sendmail.ts";
import { addServeCommand } from "./commands/serve.ts";
import { addSnapshotCommand } from "./commands/snapshot.ts";
import { addTablesCommand } from "./commands/tables.ts";

/** Every command of the program, in the order of its help. A new one is a file in `commands/` and a line here. */
const commands: readonly ((program: Command, context: CommandContext) => void)[] = [
  addServeCommand,
  addDynamoDbCommand,
  addTablesCommand,
  addJournalCommand,
  addSnapshotCommand,
  addSendmailCommand,
  addBcryptCommand,
];

/** The parser with all its commands. It throws instead of ending the process, and prints errors nowhere. */
export function buildProgram(io: CommandIo): Command {
  const program = new Command("tablekeep")
    .description("Event journals, snapshots, device shadows and mail in DynamoDB.")
    .option("--json", "print results and errors as JSON, one document a line")
    .option("--debug", "show the stack of an error (also: TABLEKEEP_DEBUG=1)")
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("after", exampleText(["npx tablekeep serve"]))
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // The caller reports the error that is thrown, in one line.
      outputError: () => {},
    });
  const context = commandContext(io, () => program.opts<{ json?: boolean }>().json === true);
  for (const addTo of commands) addTo(program, context);
  return program;
}
