import { type Command, Option } from "commander";
import { addCommand, parsePort } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { untilAborted } from "../frame/command-context.ts";
import { withVariable } from "../frame/help-style.ts";
import { startText, stderrLogger } from "../frame/server-output.ts";
import { configOption, readCommandConfig } from "../settings/serve-config.ts";
import { variableOf } from "../settings/setting.ts";
import type { SettingKey } from "../settings/settings.ts";
import { adviseInUse, serveAdvice } from "../store/folder-in-use.ts";
import { dataOption } from "../store/open-store.ts";
import { accessKeysOf } from "./server-options-of.ts";

interface DynamoDbOptions {
  readonly config?: string;
  readonly data?: string;
  readonly memory?: true;
  readonly host?: string;
  readonly port?: number;
  readonly allowAnonymous?: true;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly arnRegion?: string;
  readonly accountId?: string;
}

/** `tablekeep dynamodb`: runs only the DynamoDB endpoint until it is stopped. */
export function addDynamoDbCommand(program: Command, context: CommandContext): void {
  addCommand(program, "dynamodb", {
    summary: "run a DynamoDB endpoint on a folder or in memory",
    description:
      "Runs only a DynamoDB endpoint, for any AWS SDK or CLI, until Ctrl+C or SIGTERM. Requests in flight are finished first. Settings have the same sources as those of serve.",
    examples: ["npx tablekeep dynamodb --memory", "npx tablekeep dynamodb --data ./my-data --port 8001"],
  })
    .addOption(dataOption())
    .addOption(
      ofSetting("memory", "--memory", "keep all data in memory until the process stops").conflicts("data"),
    )
    .addOption(ofSetting("dynamodbHost", "--host <address>", "address to listen on (default: 127.0.0.1)"))
    .addOption(
      ofSetting("dynamodbPort", "--port <number>", "port to listen on (default: 8000)").argParser(parsePort),
    )
    .addOption(
      ofSetting("allowAnonymous", "--allow-anonymous", "allow a non-loopback --host without access keys"),
    )
    .addOption(
      ofSetting(
        "arnRegion",
        "--arn-region <name>",
        "region in the ARNs of new tables (us-east-1 if not set)",
      ),
    )
    .addOption(
      ofSetting(
        "accountId",
        "--account-id <digits>",
        "account in the ARNs of new tables (000000000000 if not set)",
      ),
    )
    .addOption(ofSetting("accessKeyId", "--access-key-id <id>", "access key that must sign requests"))
    .addOption(ofSetting("secretAccessKey", "--secret-access-key <secret>", "secret of --access-key-id"))
    .addOption(configOption())
    .action((options: DynamoDbOptions) => serveDynamoDb(options, context));
}

/** An option that is a setting of a server; the help shows its variable. */
function ofSetting(key: SettingKey, flags: string, text: string): Option {
  return withVariable(new Option(flags, text), variableOf(key));
}

async function serveDynamoDb(options: DynamoDbOptions, context: CommandContext): Promise<void> {
  const { host: dynamodbHost, port: dynamodbPort, ...rest } = options;
  const { settings } = await readCommandConfig({ ...rest, dynamodbHost, dynamodbPort }, context.io);
  const { region, endpoint: remote } = settings;
  if (region !== undefined || remote !== undefined)
    throw new CliError(
      "CLI_OPTION_CONFLICT",
      `the settings store the data elsewhere (${region ?? remote}): set a folder with --data, or use --memory`,
    );
  // Loaded when used, so that the other commands start fast.
  const { startDynamoDb } = await import("../../server/dynamodb/start-dynamodb.ts");
  const starting = startDynamoDb({
    dataFolder: settings.memory ? undefined : settings.data,
    host: settings.dynamodbHost ?? settings.host,
    port: settings.dynamodbPort,
    accessKeys: accessKeysOf(settings),
    allowAnonymous: settings.allowAnonymous,
    ...(settings.arnRegion !== undefined && { region: settings.arnRegion }),
    ...(settings.accountId !== undefined && { accountId: settings.accountId }),
    logger: stderrLogger(context.io.stderr),
  });
  const server = await adviseInUse(starting, serveAdvice);
  const { endpoint, dataFolder = null, listeners } = server;
  context.print(startText("DynamoDB", listeners, dataFolder ?? "in memory"), {
    event: "started",
    endpoint,
    dataFolder,
    listeners,
  });
  await untilAborted(context.io.signal);
  await server.stop();
  context.print("Stopped.", { event: "stopped" });
}
