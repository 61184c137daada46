import type { Command } from "commander";
import type { ServerOptions } from "../../server/server-options.ts";
import type { RunningServer } from "../../server/start-server.ts";
import { addKeyOptions, type KeyOptions, readKeys } from "../access-keys.ts";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { parsePort } from "../parse-port.ts";
import { addJimFlags, type JimFlags, readJimFlags } from "../serve/jim-flags.ts";
import { addMailFlags, type MailFlags, readMailFlags } from "../serve/mail-flags.ts";
import { addMailhogFlags, type MailhogFlags, withMailhog } from "../serve/mailhog-flags.ts";
import { addShadowFlags, readShadowFlags, type ShadowFlags } from "../serve/shadow-flags.ts";
import { startText } from "../start-text.ts";
import { untilAborted } from "../until-aborted.ts";

interface ServeOptions extends KeyOptions, MailFlags, MailhogFlags, JimFlags, ShadowFlags {
  readonly data: string;
  readonly host: string;
  readonly httpPort: number;
  readonly dynamodbPort: number;
  readonly dynamodb: boolean;
  readonly authFile?: string;
  readonly corsOrigin?: string;
  readonly webPath: string;
  readonly allowAnonymous?: true;
}

/** `tablekeep serve`: runs the server until it is told to stop. */
export function addServeCommand(program: Command, context: CommandContext): void {
  const command = addCommand(program, "serve", {
    summary: "run the server",
    description: "Runs the server until Ctrl+C or SIGTERM. Requests under way are finished first.",
    examples: ["npx tablekeep serve", "npx tablekeep serve --data ./my-data --http-port 8026"],
  })
    .option("--data <folder>", "the folder that holds all data", "./tablekeep-data")
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--port, --http-port <number>", "the port of the web page and the HTTP APIs", parsePort, 8025)
    .option("--dynamodb-port <number>", "the port of the DynamoDB endpoint", parsePort, 8000)
    .option("--no-dynamodb", "serve no DynamoDB endpoint")
    .option(
      "--auth-file <file>",
      "who may use the web page and the HTTP APIs: a file with a line name:hash each",
    )
    .option("--cors-origin <origin>", "the one other origin whose pages may use MailHog's API")
    .option("--ui-web-path, --web-path <path>", "what the paths of MailHog's API begin with", "")
    .option("--allow-anonymous", "listen on a --host that other machines reach, without any sign-in");
  addKeyOptions(command, "the key that DynamoDB requests must be signed with");
  addMailFlags(command);
  addJimFlags(addMailhogFlags(command));
  addShadowFlags(command).action((options: ServeOptions) =>
    serve(withMailhog(options, command, context.io), context),
  );
}

async function serve(options: ServeOptions, context: CommandContext): Promise<void> {
  const keys = readKeys(options, context.io);
  const jim = await readJimFlags(options, context.io.env["MH_INVITE_JIM"] || undefined);
  // Loaded when used, so that the other commands start fast.
  const { startServer } = await import("../../server/start-server.ts");
  const server = await startServer({
    dataFolder: options.data,
    host: options.host,
    httpPort: options.httpPort,
    dynamodb: options.dynamodb,
    dynamodbPort: options.dynamodbPort,
    mail: { ...(await readMailFlags(options)), ...jim },
    smtp: options.smtp,
    smtpPort: options.smtpPort,
    shadows: await readShadowFlags(options),
    mqtt: options.mqtt,
    mqttPort: options.mqttPort,
    accessKeys: keys && { [keys.accessKeyId]: keys.secretAccessKey },
    users: await readUsers(options.authFile),
    corsOrigin: options.corsOrigin,
    webPath: options.webPath,
    allowAnonymous: options.allowAnonymous ?? false,
  });
  context.print(startText(`Tablekeep ${server.version}`, server.listeners, server.dataFolder), {
    event: "started",
    ...startFacts(server),
  });
  await untilAborted(context.io.signal);
  await server.stop();
  context.print("Stopped.", { event: "stopped" });
}

async function readUsers(file: string | undefined): Promise<ServerOptions["users"]> {
  const { readUsersFile } = await import("../../server/auth/users-file.ts");
  return file === undefined ? undefined : readUsersFile(file);
}

function startFacts({ version, dataFolder, listeners }: RunningServer): object {
  return { version, dataFolder, listeners };
}
