import type { TableSpec } from "@tablekeep/client";
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
import { printTemplate, type TemplateKind, templateOption } from "../serve/print-template.ts";
import { addStorageFlags, openStorage, type StorageFlags } from "../serve/serve-storage.ts";
import { addShadowFlags, readShadowFlags, type ShadowFlags } from "../serve/shadow-flags.ts";
import { startText } from "../start-text.ts";
import { untilAborted } from "../until-aborted.ts";

interface ServeOptions extends KeyOptions, MailFlags, MailhogFlags, JimFlags, ShadowFlags, StorageFlags {
  readonly host: string;
  readonly httpPort: number;
  readonly dynamodbPort: number;
  readonly dynamodb: boolean;
  readonly authFile?: string;
  readonly corsOrigin?: string;
  readonly webPath: string;
  readonly allowAnonymous?: true;
  readonly printTemplate?: TemplateKind;
}

/** `tablekeep serve`: runs the server until it is told to stop. */
export function addServeCommand(program: Command, context: CommandContext): void {
  const command = addCommand(program, "serve", {
    summary: "run the server",
    description: "Runs the server until Ctrl+C or SIGTERM. Requests under way are finished first.",
    examples: [
      "npx tablekeep serve",
      "npx tablekeep serve --data ./my-data --http-port 8026",
      "npx tablekeep serve --region eu-west-1 --create-tables",
    ],
  });
  addStorageFlags(command)
    .addOption(templateOption())
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

async function serve(flags: ServeOptions, context: CommandContext): Promise<void> {
  const options = await serverOptions(flags, context);
  // Loaded when used, so that the other commands start fast.
  const { startServer } = await import("../../server/start-server.ts");
  if (flags.printTemplate !== undefined) {
    return printTemplate(await tablesOf(options), flags.printTemplate, context);
  }
  const storage = await openStorage(flags, context.io);
  try {
    const server = await startServer({ ...options, ...storage });
    context.print(startText(`Tablekeep ${server.version}`, server.listeners, server.storage), {
      event: "started",
      ...startFacts(server),
    });
    await untilAborted(context.io.signal);
    await server.stop();
  } catch (error) {
    await printMissing(error, options, context);
    throw error;
  } finally {
    await storage.port?.close();
  }
  context.print("Stopped.", { event: "stopped" });
}

async function serverOptions(flags: ServeOptions, { io }: CommandContext): Promise<ServerOptions> {
  const keys = readKeys(flags, io);
  const jim = await readJimFlags(flags, io.env["MH_INVITE_JIM"] || undefined);
  return {
    host: flags.host,
    httpPort: flags.httpPort,
    dynamodb: flags.dynamodb,
    dynamodbPort: flags.dynamodbPort,
    mail: { ...(await readMailFlags(flags)), ...jim },
    smtp: flags.smtp,
    smtpPort: flags.smtpPort,
    shadows: await readShadowFlags(flags),
    mqtt: flags.mqtt,
    mqttPort: flags.mqttPort,
    accessKeys: keys && { [keys.accessKeyId]: keys.secretAccessKey },
    users: await readUsers(flags.authFile),
    corsOrigin: flags.corsOrigin,
    webPath: flags.webPath,
    allowAnonymous: flags.allowAnonymous ?? false,
  };
}

async function tablesOf(options: ServerOptions): Promise<readonly TableSpec[]> {
  const { resolveServerOptions } = await import("../../server/server-options.ts");
  const { servedTables } = await import("../../server/served-tables.ts");
  return servedTables(resolveServerOptions(options));
}

/** Where tables are missing, what makes them is printed before the error is told. */
async function printMissing(error: unknown, options: ServerOptions, context: CommandContext): Promise<void> {
  const { isServerError } = await import("../../server/server-error.ts");
  if (!isServerError(error, "SERVER_TABLES_MISSING")) return;
  const { tables } = error.details;
  const missing = (await tablesOf(options)).filter(({ name }) => tables.includes(name));
  await printTemplate(missing, "cloudformation", context);
}

async function readUsers(file: string | undefined): Promise<ServerOptions["users"]> {
  const { readUsersFile } = await import("../../server/auth/users-file.ts");
  return file === undefined ? undefined : readUsersFile(file);
}

function startFacts({ version, dataFolder, storage, listeners }: RunningServer): object {
  return { version, dataFolder: dataFolder ?? null, storage, listeners };
}
