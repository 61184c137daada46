/** `tablekeep mcp --port` as a real process, with the client of the official SDK over HTTP. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "../../build-program.ts";
import { runMain } from "../../run-main.ts";
import { tempFolder } from "../../temp-folder.ts";
import { call, readTools } from "../agent.ts";

describe("over HTTP", () => {
  const folder = tempFolder();
  const children: ReturnType<typeof spawn>[] = [];
  let url = "";

  beforeAll(async () => {
    await runMain(["mail", "put", "--to", "ann@example.com", "--create", "--data", folder]);
    const program = await buildProgram();
    const args = [program, "mcp", "--data", folder, "--port", "0", "--json"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    url = (JSON.parse(String(line)) as { listeners: { url: string }[] }).listeners[0]?.url ?? "";
  });
  afterAll(async () => {
    for (const child of children) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      expect((await ended)[0]).toBe(0);
    }
  });

  test("answers the client of the SDK", async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect((await client.listTools()).tools).toHaveLength(readTools.length);
    expect(await call(client, "list_tables")).toEqual({ tables: ["mail"] });
    await client.close();
  });

  test("rejects pages of other sites, other hosts, other paths and large bodies", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const post = (to: string, more: Record<string, string>, text = body) =>
      fetch(to, { method: "POST", headers: { ...headers, ...more }, body: text }).then(
        ({ status }) => status,
      );
    expect(await post(url, {})).toBe(200);
    expect(await post(url, { origin: "https://evil.example" })).toBe(403);
    expect(await post(new URL("/other", url).href, {})).toBe(404);
    expect(await post(url, {}, "x".repeat(5 * 1024 * 1024))).toBe(413);
  });
});
