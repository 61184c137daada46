import { Command } from "commander";
import { readVersion } from "../package/package-info.ts";
import { exampleText } from "./frame/add-command.ts";
import {
  type CommandContext,
  type CommandIo,
  commandContext,
  type OutputFlags,
} from "./frame/command-context.ts";
import { helpStyle } from "./frame/help-style.ts";
import { hasColors } from "./frame/text-output.ts";

type AddCommand = (program: Command, context: CommandContext) => void;

/** A command of the program, as the list of commands shows it. */
interface TopCommand {
  readonly group: "Server" | "Data" | "Tools";
  readonly summary: string;
  readonly load: () => Promise<AddCommand>;
}

/**
 * Every command of the program, in the order of the reference. A new one is a file in `commands/` and an entry here. Only
 * the command that the command line names is loaded, because the others have many files and would slow down the start.
 */
const commands: { readonly [name: string]: TopCommand } = {
  serve: {
    group: "Server",
    summary: "run the server",
    load: async () => (await import("./commands/serve.ts")).addServeCommand,
  },
  config: {
    group: "Server",
    summary: "print the effective settings of serve and their sources",
    load: async () => (await import("./commands/config.ts")).addConfigCommand,
  },
  status: {
    group: "Server",
    summary: "print which process serves the data folder, and where",
    load: async () => (await import("./commands/status.ts")).addStatusCommand,
  },
  doctor: {
    group: "Server",
    summary: "check settings, folder, ports, tables and stores",
    load: async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  },
  dynamodb: {
    group: "Server",
    summary: "run a DynamoDB endpoint on a folder or in memory",
    load: async () => (await import("./commands/dynamodb.ts")).addDynamoDbCommand,
  },
  compact: {
    group: "Server",
    summary: "free the disk space of deleted data",
    load: async () => (await import("./commands/compact.ts")).addCompactCommand,
  },
  table: {
    group: "Data",
    summary: "read, change, export and import tables",
    load: async () => (await import("./commands/table.ts")).addTableCommand,
  },
  journal: {
    group: "Data",
    summary: "inspect, verify, repair and copy event journals",
    load: async () => (await import("./commands/journal.ts")).addJournalCommand,
  },
  feed: {
    group: "Data",
    summary: "read the events of a journal across ids",
    load: async () => (await import("./commands/feed.ts")).addFeedCommand,
  },
  projection: {
    group: "Data",
    summary: "show and control projections",
    load: async () => (await import("./commands/projection.ts")).addProjectionCommand,
  },
  snapshot: {
    group: "Data",
    summary: "list, get and delete snapshots",
    load: async () => (await import("./commands/snapshot.ts")).addSnapshotCommand,
  },
  mail: {
    group: "Data",
    summary: "read, store, export and import mail",
    load: async () => (await import("./commands/mail.ts")).addMailCommand,
  },
  shadow: {
    group: "Data",
    summary: "read, change, export and import device shadows",
    load: async () => (await import("./commands/shadow.ts")).addShadowCommand,
  },
  mcp: {
    group: "Server",
    summary: "serve the data to agents over MCP",
    load: async () => (await import("./commands/mcp.ts")).addMcpCommand,
  },
  sendmail: {
    group: "Tools",
    summary: "send a message from stdin, like sendmail",
    load: async () => (await import("./commands/sendmail.ts")).addSendmailCommand,
  },
  auth: {
    group: "Tools",
    summary: "create users and tokens for a server",
    load: async () => (await import("./commands/auth.ts")).addAuthCommand,
  },
  completion: {
    group: "Tools",
    summary: "print a script that completes commands in a shell",
    load: async () => {
      const { addCompletionCommand } = await import("./commands/completion.ts");
      return (program, context) => addCompletionCommand(program, context, () => buildProgram(context.io));
    },
  },
};

/**
 * Returns the parser with all commands. With `argv`, only the command that it names is loaded, and of the others
 * only their lines in the list of commands. The parser throws instead of ending the process, and prints no errors.
 */
export async function buildProgram(io: CommandIo, argv?: readonly string[]): Promise<Command> {
  const program = new Command("tablekeep")
    .description("Event journals, snapshots, device shadows and mail in DynamoDB.")
    .option("--json", "print results and errors as JSON, one document per line")
    .option("-q, --quiet", "print only results and errors")
    .option("--debug", "print stack traces of errors (or set TABLEKEEP_DEBUG=1)")
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .commandsGroup("Tools:")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("after", exampleText(["npx tablekeep serve"]))
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureHelp(helpStyle)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => hasColors(io.stdout, io.env),
      getErrHasColors: () => hasColors(io.stderr, io.env),
      // The caller reports the thrown error in one line.
      outputError: () => {},
    });
  const context = commandContext(io, () => program.opts<OutputFlags>());
  const named = argv === undefined ? undefined : commandWord(argv);
  for (const [name, { group, summary, load }] of Object.entries(commands)) {
    if (argv === undefined || name === named) (await load())(program, context);
    else program.command(name).summary(summary);
    program.commands.at(-1)?.helpGroup(`${group}:`);
  }
  return program;
}

/** The word that names the command, even after `help`. The options of the program itself have no values. */
function commandWord(argv: readonly string[]): string | undefined {
  const [first, second] = argv.filter((each) => !each.startsWith("-"));
  return first === "help" ? second : first;
}
