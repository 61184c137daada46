import type { TableSpec } from "@tablekeep/client";
import { isTablekeepError } from "@tablekeep/core";
import type { Command } from "commander";
import type { ServerOptions } from "../../server/server-options.ts";
import type { RunningServer } from "../../server/start-server.ts";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { openStorage } from "../serve/open-storage.ts";
import { printTemplate, type TemplateKind, templateOption } from "../serve/print-template.ts";
import { addServeOptions, readServeConfig } from "../serve/serve-config.ts";
import { serverOptionsOf } from "../serve/server-options-of.ts";
import { startText } from "../start-text.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { untilAborted } from "../until-aborted.ts";

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
    const server = await startServer({
      ...options,
      ...storage,
      logger: stderrLogger(context.io.stderr),
      signal: context.io.signal,
    });
    context.print(startText(`Tablekeep ${server.version}`, server.listeners, server.storage), {
      event: "started",
      ...startFacts(server),
    });
    // An error in the service of one client must not end that of all others.
    const stopCatching = context.io.onUncaught?.((error) => {
      const part = server.reportFailure(error) ?? "an unknown part";
      const { stack = String(error) } = error as Partial<Error>;
      context.io.stderr.write(
        `error: internal error in ${part}; /readyz reports it, the server goes on: ${stack}\n`,
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

/** Whether it was told to stop before it had started: what was asked for, and no failure. */
function wasStopped(error: unknown, { io }: CommandContext): boolean {
  return io.signal.aborted && isTablekeepError(error) && error.kind === "aborted" && !error.ambiguous;
}

async function tablesOf(options: ServerOptions): Promise<readonly TableSpec[]> {
  const { resolveServerOptions } = await import("../../server/server-options.ts");
  const { servedTables } = await import("../../server/served-tables.ts");
  return servedTables(resolveServerOptions(options)).map(({ spec }) => spec);
}

/** Where tables are missing, what makes them is printed before the error is told. */
async function printMissing(error: unknown, options: ServerOptions, context: CommandContext): Promise<void> {
  const { isServerError } = await import("../../server/server-error.ts");
  if (!isServerError(error, "SERVER_TABLES_MISSING")) return;
  const { tables } = error.details;
  const missing = (await tablesOf(options)).filter(({ name }) => tables.includes(name));
  await printTemplate(missing, "cloudformation", context);
}

function startFacts({ version, dataFolder, storage, listeners }: RunningServer): object {
  return { version, dataFolder: dataFolder ?? null, storage, listeners };
}
