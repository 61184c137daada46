import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: the tests compare what they read
export type Json = Record<string, any>;

/** Calls a tool and returns its JSON; `error` if the tool failed. */
export async function call(client: Client, name: string, args: Json = {}): Promise<Json> {
  const answer = await client.callTool({ name, arguments: args }, { timeout: 120_000 });
  const [content] = answer.content as { type: string; text: string }[];
  const value = JSON.parse(content?.text ?? "null") as Json;
  expect(answer.isError === true).toBe("error" in value);
  return value;
}

/** Starts the program and connects to it over stdin and stdout. */
export async function stdioClient(program: string, folder: string, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const args = [program, "mcp", "--data", folder, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

/** The tools without `--allow-writes`. */
export const readTools = [
  "describe_table",
  "feed_status",
  "get_item",
  "get_mail",
  "get_projection",
  "get_rollout",
  "get_shadow",
  "list_ids",
  "list_mail",
  "list_projections",
  "list_rollouts",
  "list_shadows",
  "list_tables",
  "query_items",
  "read_events",
  "read_feed",
  "read_state",
  "scan_items",
  "search_mail",
  "search_shadows",
  "shadow_history",
  "wait_for_code",
  "wait_for_link",
  "wait_for_message",
];
