import type { Command } from "commander";
import type { RunningServer } from "../../server/start-server.ts";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { parsePort } from "../parse-port.ts";

interface ServeOptions {
  readonly data: string;
  readonly host: string;
  readonly httpPort: number;
  readonly allowAnonymous?: true;
}

/** `tablekeep serve`: runs the server until it is told to stop. */
export function addServeCommand(program: Command, context: CommandContext): void {
  addCommand(program, "serve", {
    summary: "run the server",
    description: "Runs the server until Ctrl+C or SIGTERM. Requests under way are finished first.",
    examples: ["npx tablekeep serve", "npx tablekeep serve --data ./my-data --http-port 8026"],
  })
    .option("--data <folder>", "the folder that holds all data", "./tablekeep-data")
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--port, --http-port <number>", "the port of the web page and the HTTP APIs", parsePort, 8025)
    .option("--allow-anonymous", "listen on a --host that other machines reach, without any sign-in")
    .action((options: ServeOptions) => serve(options, context));
}

async function serve(options: ServeOptions, context: CommandContext): Promise<void> {
  // Loaded when used, so that the other commands start fast.
  const { startServer } = await import("../../server/start-server.ts");
  const server = await startServer({
    dataFolder: options.data,
    host: options.host,
    httpPort: options.httpPort,
    allowAnonymous: options.allowAnonymous ?? false,
  });
  context.print(startText(server), { event: "started", ...startFacts(server) });
  await untilAborted(context.io.signal);
  await server.stop();
  context.print("Stopped.", { event: "stopped" });
}

function startText(server: RunningServer): string {
  const lines = server.listeners.map(({ name, url, purpose }) => `  ${name.padEnd(10)}${url}   ${purpose}`);
  return [
    `Tablekeep ${server.version} is running.`,
    ...lines,
    `  ${"data".padEnd(10)}${server.dataFolder}`,
    "Press Ctrl+C to stop.",
  ].join("\n");
}

function startFacts({ version, dataFolder, listeners }: RunningServer): object {
  return { version, dataFolder, listeners };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
