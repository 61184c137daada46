import { randomBytes } from "node:crypto";
import { Readable, Writable } from "node:stream";
import type { Command } from "commander";
import { addCommand, parseInteger, parsePort } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, type CommandIo, untilAborted } from "../frame/command-context.ts";
import { startText, stderrLogger } from "../frame/server-output.ts";
import { addStoreOptions, openStore, type StoreOptions } from "../store/open-store.ts";

interface McpFlags extends StoreOptions {
  readonly port?: number;
  readonly allowWrites?: true;
  readonly maxBytes: number;
}

/** `tablekeep mcp`: offers tables, journals, mail and shadows to agents. */
export function addMcpCommand(program: Command, context: CommandContext): void {
  const command = addCommand(program, "mcp", {
    summary: "serve the data to agents over MCP",
    description:
      "Serves agents tools for tables, journals, feeds, mail and shadows, over the Model Context Protocol: on stdin and stdout or, with --port, over HTTP on 127.0.0.1. Read-only unless --allow-writes is given. Needs the package @modelcontextprotocol/server.",
    examples: ["npx tablekeep mcp --data ./my-data", "npx tablekeep mcp --port 8026 --allow-writes"],
  })
    .option("--port <number>", "serve over HTTP on this port of 127.0.0.1", parsePort)
    .option("--allow-writes", "offer tools that change data as well, and undo")
    .option("--max-bytes <number>", "maximum bytes of a result", parseInteger(4096), 65_536);
  addStoreOptions(command).action((flags: McpFlags) => serve(flags, context));
}

async function serve(flags: McpFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  const { loadSdk, mcpServers } = await import("../mcp/mcp-server.ts");
  const { UndoCheckpoints } = await import("../mcp/undo-checkpoints.ts");
  const { whenUnlocked } = await import("../mcp/served-folder.ts");
  const { port, allowWrites = false, maxBytes, ...store } = flags;
  const sdk = await loadSdk();
  // Reports invalid settings now, and not to the agent at its first call.
  const opened = await whenUnlocked(() => openStore(store, io), io.signal);
  await opened.port.close();
  const undoCheckpoints = new UndoCheckpoints(randomBytes(4).toString("hex"));
  const servers = mcpServers(sdk, { flags: store, io, maxBytes, allowWrites, undoCheckpoints });
  if (port === undefined) await serveStdio(servers, io);
  else await serveHttp(sdk.createMcpHandler(servers), port, opened.where, context);
}

/** Serves until the client closes stdin, or Ctrl+C. */
async function serveStdio(
  servers: Parameters<typeof import("@modelcontextprotocol/server/stdio").serveStdio>[0],
  io: CommandIo,
): Promise<void> {
  const { StdioServerTransport, serveStdio: start } = await import("@modelcontextprotocol/server/stdio");
  const { stdin, stdout } = io;
  if (!(stdin instanceof Readable) || !(stdout instanceof Writable))
    throw new CliError("CLI_OPTION_MISSING", "no stdin to read requests from: serve over HTTP with --port");
  const closed = new Promise<void>((resolve) => {
    stdin.once("end", resolve);
    stdin.once("close", resolve);
  });
  const logger = stderrLogger(io.stderr);
  const handle = start(servers, {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: (error) => logger.warn("invalid message", { error: error.message }),
  });
  await Promise.race([closed, untilAborted(io.signal)]);
  await handle.close();
}

type Handler = ReturnType<typeof import("@modelcontextprotocol/server").createMcpHandler>;

async function serveHttp(
  handler: Handler,
  port: number,
  where: string,
  { io, print }: CommandContext,
): Promise<void> {
  const { systemClock: clock } = await import("@tablekeep/core");
  const { httpListener } = await import("../../server/http/http-listener.ts");
  const { runListeners } = await import("../../server/listening/run-listeners.ts");
  const { mcpHandler, mcpPath } = await import("../mcp/mcp-http.ts");
  const logger = stderrLogger(io.stderr);
  const target = { listener: "mcp", host: "127.0.0.1", port, portFlag: "--port" };
  const purpose = "MCP, for agents";
  const listener = httpListener({ target, purpose, handle: mcpHandler(handler.fetch), clock, logger });
  const addresses: { name: string; purpose: string; url: string }[] = [];
  const stop = await runListeners([listener], {
    clock,
    logger,
    stopGraceMs: 5_000,
    onListening: (address) => addresses.push({ ...address, url: new URL(mcpPath, address.url).href }),
    afterStop: () => handler.close(),
  });
  print(startText("MCP", addresses, where), { event: "started", listeners: addresses });
  await untilAborted(io.signal);
  await stop();
  print("Stopped.", { event: "stopped" });
}
