import { Command } from "commander";
import { readVersion } from "../package/package-info.ts";
import { exampleText } from "./frame/add-command.ts";
import { type CommandContext, type CommandIo, commandContext } from "./frame/command-context.ts";

type AddCommand = (program: Command, context: CommandContext) => void;

/**
 * Every command of the program, in the order of the help. A new one is a file in `commands/` and a line here. If the
 * command line names one, only that one is loaded, because the others have many files and would slow down the start.
 */
const commands: { readonly [name: string]: () => Promise<AddCommand> } = {
  serve: async () => (await import("./commands/serve.ts")).addServeCommand,
  config: async () => (await import("./commands/config.ts")).addConfigCommand,
  status: async () => (await import("./commands/status.ts")).addStatusCommand,
  doctor: async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  dynamodb: async () => (await import("./commands/dynamodb.ts")).addDynamoDbCommand,
  compact: async () => (await import("./commands/compact.ts")).addCompactCommand,
  table: async () => (await import("./commands/table.ts")).addTableCommand,
  journal: async () => (await import("./commands/journal.ts")).addJournalCommand,
  feed: async () => (await import("./commands/feed.ts")).addFeedCommand,
  projection: async () => (await import("./commands/projection.ts")).addProjectionCommand,
  snapshot: async () => (await import("./commands/snapshot.ts")).addSnapshotCommand,
  mail: async () => (await import("./commands/mail.ts")).addMailCommand,
  shadow: async () => (await import("./commands/shadow.ts")).addShadowCommand,
  mcp: async () => (await import("./commands/mcp.ts")).addMcpCommand,
  sendmail: async () => (await import("./commands/sendmail.ts")).addSendmailCommand,
  auth: async () => (await import("./commands/auth.ts")).addAuthCommand,
};

/**
 * Returns the parser with the command that `argv` begins with or, if it begins with none, with all of them. The parser throws
 * instead of ending the process, and prints no errors.
 */
export async function buildProgram(io: CommandIo, argv: readonly string[] = []): Promise<Command> {
  const program = new Command("tablekeep")
    .description("Event journals, snapshots, device shadows and mail in DynamoDB.")
    .option("--json", "print results and errors as JSON, one document per line")
    .option("--debug", "print stack traces of errors (or set TABLEKEEP_DEBUG=1)")
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
  for (const add of await Promise.all(commandsFor(argv).map((load) => load()))) add(program, context);
  return program;
}

function commandsFor(argv: readonly string[]): readonly (() => Promise<AddCommand>)[] {
  // The options of the program itself have no values.
  const word = argv.find((each) => !each.startsWith("-")) ?? "";
  const named = Object.hasOwn(commands, word) ? commands[word] : undefined;
  return named === undefined ? Object.values(commands) : [named];
}
