import { type Command, Option } from "commander";
import { addKeyOptions, type KeyOptions, readKeys } from "../access-keys.ts";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { parsePort } from "../parse-port.ts";
import { startText } from "../start-text.ts";
import { untilAborted } from "../until-aborted.ts";

interface DynamoDbOptions extends KeyOptions {
  readonly data: string;
  readonly memory?: true;
  readonly host: string;
  readonly port: number;
  readonly allowAnonymous?: true;
}

/** `tablekeep dynamodb`: nothing but the DynamoDB endpoint, until it is told to stop. */
export function addDynamoDbCommand(program: Command, context: CommandContext): void {
  const command = addCommand(program, "dynamodb", {
    summary: "run a DynamoDB endpoint on a folder or in memory",
    description:
      "Runs a DynamoDB endpoint for any AWS SDK or CLI, and nothing else, until Ctrl+C or SIGTERM. Requests under way are finished first.",
    examples: ["npx tablekeep dynamodb --memory", "npx tablekeep dynamodb --data ./my-data --port 8001"],
  })
    .option("--data <folder>", "the folder that holds the tables", "./tablekeep-data")
    .addOption(
      new Option("--memory", "keep everything in memory, and forget it at the end").conflicts("data"),
    )
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--port <number>", "the port to listen on", parsePort, 8000)
    .option("--allow-anonymous", "listen on a --host that other machines reach, without any keys");
  addKeyOptions(command, "the key that requests must be signed with").action((options: DynamoDbOptions) =>
    serveDynamoDb(options, context),
  );
}

async function serveDynamoDb(options: DynamoDbOptions, context: CommandContext): Promise<void> {
  const keys = readKeys(options, context.io);
  // Loaded when used, so that the other commands start fast.
  const { startDynamoDb } = await import("../../server/dynamodb/start-dynamodb.ts");
  const server = await startDynamoDb({
    dataFolder: options.memory ? undefined : options.data,
    host: options.host,
    port: options.port,
    accessKeys: keys && { [keys.accessKeyId]: keys.secretAccessKey },
    allowAnonymous: options.allowAnonymous ?? false,
  });
  const { endpoint, dataFolder = null, listeners } = server;
  context.print(startText("DynamoDB", listeners, dataFolder ?? "in memory, gone at the end"), {
    event: "started",
    endpoint,
    dataFolder,
    listeners,
  });
  await untilAborted(context.io.signal);
  await server.stop();
  context.print("Stopped.", { event: "stopped" });
}
