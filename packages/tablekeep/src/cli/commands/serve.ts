import type { TableSpec } from "@tablekeep/client";
import { type DynamoPort, isTablekeepError } from "@tablekeep/core";
import { type Command, Option } from "commander";
import type { ServerOptions } from "../../server/options/server-options.ts";
import type { RunningServer } from "../../server/start-server.ts";
import { addCommand } from "../frame/add-command.ts";
import { type CommandContext, type CommandIo, untilAborted } from "../frame/command-context.ts";
import { startText, stderrLogger } from "../frame/server-output.ts";
import { addServeOptions, readServeConfig } from "../settings/serve-config.ts";
import type { ServeSettings } from "../settings/settings.ts";
import { adviseInUse, serveAdvice } from "../store/folder-in-use.ts";
import { connectTo, keysOfAws } from "../store/open-store.ts";
import { serverOptionsOf } from "./server-options-of.ts";

const kinds = ["cloudformation", "terraform", "aws-cli"] as const;

/** The formats of a template. */
export type TemplateKind = (typeof kinds)[number];

/** `--print-template`, alone or with a kind. */
function templateOption(): Option {
  return new Option("--print-template [kind]", "print a template for the tables and exit")
    .choices(kinds)
    .preset("cloudformation");
}

/** Prints the template that creates the tables. */
async function printTemplate(
  tables: readonly TableSpec[],
  kind: TemplateKind,
  context: CommandContext,
): Promise<void> {
  const { toAwsCli, toCloudFormation, toTerraform } = await import("@tablekeep/client");
  const print = { cloudformation: toCloudFormation, terraform: toTerraform, "aws-cli": toAwsCli }[kind];
  const template = print(tables).trimEnd();
  context.print(template, { template });
}

/** Where a server stores its data. */
export type StorageOptions = Pick<
  ServerOptions,
  "dataFolder" | "memory" | "port" | "portName" | "createTables"
>;

/** The location of the data: a folder that the server opens, its memory, or a port that is opened here and closed by the caller. */
export async function openStorage(
  { data, memory, endpoint, region, createTables }: ServeSettings,
  io: CommandIo,
): Promise<StorageOptions> {
  if (memory) return { memory };
  if (region === undefined && endpoint === undefined) return { dataFolder: data };
  const where = endpoint === undefined ? "" : ` at ${endpoint}`;
  const portName = region === undefined ? `DynamoDB${where}` : `DynamoDB in ${region}${where}`;
  return { port: await connected(endpoint, region, io), portName, createTables };
}

async function connected(
  endpoint: string | undefined,
  region: string | undefined,
  io: CommandIo,
): Promise<DynamoPort> {
  if (region === undefined) return connectTo(endpoint ?? "", keysOfAws(io));
  const { connect } = await import("@tablekeep/client");
  return connect({ region, endpoint, env: io.env });
}

/** `tablekeep serve`: runs the server until it is stopped. */
export function addServeCommand(program: Command, context: CommandContext): void {
  const command = addCommand(program, "serve", {
    summary: "run the server",
    description:
      "Runs the server until Ctrl+C or SIGTERM. Requests in flight are finished first. Every option also has a variable, such as TABLEKEEP_HTTP_PORT for --http-port.",
    examples: [
      "npx tablekeep serve",
      "npx tablekeep serve --data ./my-data --http-port 8026",
      "npx tablekeep serve --region eu-west-1 --create-tables",
    ],
  });
  addServeOptions(command)
    .addOption(templateOption())
    .action(({ printTemplate: kind }: { printTemplate?: TemplateKind }) => serve(command, kind, context));
}

async function serve(
  command: Command,
  template: TemplateKind | undefined,
  context: CommandContext,
): Promise<void> {
  const config = await readServeConfig(command, context.io);
  const options = await serverOptionsOf(config);
  if (template !== undefined) return printTemplate(await tablesOf(options), template, context);
  // Loaded when used, so that the other commands start fast.
  const { startServer } = await import("../../server/start-server.ts");
  const storage = await openStorage(config.settings, context.io);
  try {
    const starting = startServer({
      ...options,
      ...storage,
      logger: stderrLogger(context.io.stderr),
      signal: context.io.signal,
    });
    const server = await adviseInUse(starting, serveAdvice);
    const { addressToOpen } = await import("../../server/listening/listener.ts");
    const addresses = server.listeners.map((each) => addressToOpen(each, options.webPath ?? ""));
    context.print(startText(`Tablekeep ${server.version}`, addresses, server.storage), {
      event: "started",
      ...startFacts(server),
    });
    // An error while serving one client must not stop the service for all others.
    const stopCatching = context.io.onUncaught?.((error) => {
      const part = server.reportFailure(error) ?? "an unknown part";
      const { stack = String(error) } = error as Partial<Error>;
      context.io.stderr.write(
        `error: internal error in ${part}; /readyz reports it, the server continues: ${stack}\n`,
      );
    });
    await untilAborted(context.io.signal);
    await server.stop();
    stopCatching?.();
  } catch (error) {
    await printMissing(error, options, context);
    if (!wasStopped(error, context)) throw error;
  } finally {
    await storage.port?.close();
  }
  context.print("Stopped.", { event: "stopped" });
}

/** Whether it was stopped before it had started, which is not a failure. */
function wasStopped(error: unknown, { io }: CommandContext): boolean {
  return io.signal.aborted && isTablekeepError(error) && error.kind === "aborted" && !error.ambiguous;
}

async function tablesOf(options: ServerOptions): Promise<readonly TableSpec[]> {
  const { resolveServerOptions } = await import("../../server/options/server-options.ts");
  const { servedTables } = await import("../../server/backend/open-backend.ts");
  return servedTables(resolveServerOptions(options)).map(({ spec }) => spec);
}

/** Prints a template for missing tables before the error. */
async function printMissing(error: unknown, options: ServerOptions, context: CommandContext): Promise<void> {
  const { isServerError } = await import("../../server/server-error.ts");
  if (!isServerError(error, "SERVER_TABLES_MISSING")) return;
  const { tables } = error.details;
  const { resolveServerOptions } = await import("../../server/options/server-options.ts");
  const { servedSnapshots } = await import("../../server/backend/open-backend.ts");
  const snapshots = resolveServerOptions(options).journals.map((config) => servedSnapshots(config).spec);
  const all = new Map([...(await tablesOf(options)), ...snapshots].map((spec) => [spec.name, spec]));
  const missing = [...all.values()].filter(({ name }) => tables.includes(name));
  await printTemplate(missing, "cloudformation", context);
}

function startFacts({ version, dataFolder, storage, listeners }: RunningServer): object {
  return { version, dataFolder: dataFolder ?? null, storage, listeners };
}
