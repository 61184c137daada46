import { linkSignals } from "@tablekeep/core";
import { readVersion } from "../../package/package-info.ts";
import { CliError } from "../frame/cli-error.ts";
import { type ToolAnswer, ToolCalls } from "./call-tool.ts";
import { fleetTools } from "./fleet-tools.ts";
import { itemTools } from "./item-tools.ts";
import { journalTools } from "./journal-tools.ts";
import { mailTools } from "./mail-tools.ts";
import { projectionTools } from "./projection-tools.ts";
import { shadowTools } from "./shadow-tools.ts";
import { stateTool } from "./state-tool.ts";
import { tableTools } from "./table-tools.ts";
import type { Tool, ToolArguments, ToolCall } from "./tool.ts";

const allTools: readonly Tool[] = [
  ...tableTools,
  ...itemTools,
  ...journalTools,
  stateTool,
  ...projectionTools,
  ...mailTools,
  ...shadowTools,
  ...fleetTools,
];

/** The tools that a server offers. */
function offeredTools(allowWrites: boolean): readonly Tool[] {
  return allTools.filter(({ writes }) => allowWrites || writes !== true);
}

type Sdk = typeof import("@modelcontextprotocol/server");

/** Loads the SDK, an optional package: with its dependencies it is larger than the rest of the program without LMDB. */
export async function loadSdk(): Promise<Sdk> {
  try {
    return await import("@modelcontextprotocol/server");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new CliError(
      "CLI_PACKAGE_MISSING",
      "tablekeep mcp needs @modelcontextprotocol/server: install it with npm install @modelcontextprotocol/server@2",
      error,
    );
  }
}

/** Shared by all connections of a process. */
export interface McpOptions extends ToolCall {
  readonly allowWrites: boolean;
}

/** Returns a function that makes an MCP server for a connection, or for a request over HTTP. */
export function mcpServers(
  { McpServer, fromJsonSchema }: Sdk,
  options: McpOptions,
): () => InstanceType<Sdk["McpServer"]> {
  const { allowWrites, ...call } = options;
  const calls = new ToolCalls();
  const instructions = allowWrites
    ? "Writes are allowed. Each returns the id of an undo, or null if it cannot be undone."
    : "This server is read-only.";
  const tools = offeredTools(allowWrites).map((tool) => ({
    tool,
    inputSchema: fromJsonSchema<ToolArguments>(schemaOf(tool)),
  }));
  return () => {
    const server = new McpServer({ name: "tablekeep", version: readVersion() }, { instructions });
    for (const { tool, inputSchema } of tools) {
      const { name, description, writes } = tool;
      const annotations = {
        readOnlyHint: writes !== true,
        destructiveHint: writes === true && name !== "append_events",
        openWorldHint: false,
      };
      server.registerTool(
        name,
        { description, inputSchema, annotations },
        (args: ToolArguments, context): Promise<ToolAnswer> => {
          const ended = linkSignals(call.io.signal, context.mcpReq.signal);
          const { signal } = ended;
          const limited = { ...call, io: { ...call.io, signal } };
          return calls.run(tool, args, limited).finally(ended.release);
        },
      );
    }
    return server;
  };
}

function schemaOf({ input, optional = [] }: Tool) {
  return {
    type: "object" as const,
    properties: input as Record<string, Record<string, unknown>>,
    required: Object.keys(input).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}
