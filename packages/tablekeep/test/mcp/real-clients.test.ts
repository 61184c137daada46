/** `tablekeep mcp` as a real process, with the client of the official SDK: over stdio and over HTTP. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { runMain } from "../run-main.ts";
import { type ServedProcess, startServed } from "../shadow/served-process.ts";
import { tempFolder } from "../temp-folder.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests compare what they read
type Json = Record<string, any>;

/** Calls a tool and returns its JSON; `error` if the tool failed. */
async function call(client: Client, name: string, args: Json = {}): Promise<Json> {
  const answer = await client.callTool({ name, arguments: args }, { timeout: 120_000 });
  const [content] = answer.content as { type: string; text: string }[];
  const value = JSON.parse(content?.text ?? "null") as Json;
  expect(answer.isError === true).toBe("error" in value);
  return value;
}

let program = "";
beforeAll(async () => {
  program = await buildProgram();
});

async function stdioClient(folder: string, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const args = [program, "mcp", "--data", folder, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

const readTools = [
  "describe_table",
  "feed_status",
  "get_item",
  "get_mail",
  "get_shadow",
  "list_ids",
  "list_mail",
  "list_shadows",
  "list_tables",
  "query_items",
  "read_events",
  "read_feed",
  "scan_items",
  "search_mail",
  "wait_for_code",
  "wait_for_link",
  "wait_for_message",
];
const writeTools = ["append_events", "delete_item", "delete_mail", "desire_shadow", "put_item", "undo"];

describe("on a served folder without a DynamoDB endpoint", () => {
  const folder = tempFolder();
  let served: ServedProcess;
  let urls: Readonly<Record<string, string>>;
  let client: Client;

  beforeAll(async () => {
    served = startServed(program, folder, ["dynamodb"]);
    urls = await served.urls;
    const name = ["--table", "fruit", "--partition-key", "id", "--sort-key", "n:N"];
    expect((await runMain(["table", "create", ...name, "--data", folder])).stderr).toBe("");
    client = await stdioClient(folder, "--allow-writes", "--max-bytes", "4096");
  });
  afterAll(async () => {
    await client.close();
    expect(await served.stop()).toBe(0);
  });

  const send = async (to: string, subject: string, text: string) => {
    const { hostname: host, port } = new URL((urls["smtp"] ?? "").replace("smtp:", "http:"));
    const transport = createTransport({ host, port: Number(port) });
    await transport.sendMail({ from: "shop@example.com", to, subject, text });
    transport.close();
  };

  test("offers all tools", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([...readTools, ...writeTools].toSorted());
    const hints = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
    expect(hints.map(({ name }) => name).toSorted()).toEqual(readTools);
  });

  test("puts, reads, replaces and undoes items", async () => {
    const [key, item] = [
      { id: { S: "pear" }, n: { N: "1" } },
      { id: { S: "pear" }, n: { N: "1" }, color: { S: "green" }, sizes: { NS: ["1.0", "2"] } },
    ];
    const table = "fruit";
    const created = await call(client, "put_item", { table, item });
    expect(created).toEqual({ replaced: false, undo: expect.any(String) });
    const replaced = await call(client, "put_item", { table, item: { ...key, ripe: { BOOL: true } } });
    expect(replaced["replaced"]).toBe(true);
    expect(await call(client, "undo")).toMatchObject({ undone: replaced["undo"] });
    expect(await call(client, "get_item", { table, key })).toMatchObject({
      item: { ...key, color: { S: "green" }, sizes: { NS: expect.arrayContaining(["1", "2"]) } },
    });
    const deleted = await call(client, "delete_item", { table, key });
    expect(deleted).toEqual({ deleted: true, undo: expect.any(String) });
    expect(await call(client, "get_item", { table, key })).toEqual({ item: null });
    await call(client, "undo", { id: deleted["undo"] });
    expect(await call(client, "undo", { id: created["undo"] })).toMatchObject({ left: [] });
    expect(await call(client, "get_item", { table, key })).toEqual({ item: null });
    expect(await call(client, "undo")).toMatchObject({ error: { code: "CLI_MCP_NO_UNDO" } });
  });

  test("pages through items within the limit of bytes", async () => {
    const table = "fruit";
    const text = "x".repeat(900);
    for (let n = 1; n <= 9; n++)
      await call(client, "put_item", {
        table,
        item: { id: { S: "many" }, n: { N: `${n}` }, text: { S: text } },
      });
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await call(client, "query_items", { table, partition: "many", ...(cursor && { cursor }) });
      expect(JSON.stringify(page["items"]).length).toBeLessThanOrEqual(4096 + 20);
      seen.push(...page["items"].map((item: Json) => item["n"].N));
      cursor = page["next"];
      pages++;
    } while (cursor !== undefined);
    expect(seen).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    expect(pages).toBeGreaterThan(2);
    const range = { is: "between", value: "3", to: "4" };
    const { items } = await call(client, "query_items", { table, partition: "many", sort: range });
    expect(items).toHaveLength(2);
  });

  test("rejects bad arguments, missing tables and items of stores", async () => {
    const unknown = await call(client, "scan_items", { table: "nowhere" });
    expect(unknown).toMatchObject({ error: { code: "DYNAMO_RESOURCE_NOT_FOUND" } });
    const owned = await call(client, "put_item", { table: "mail", item: { a: { S: "b" } } });
    expect(owned).toMatchObject({ error: { code: "CLI_VALUE_INVALID" } });
    const bad = await call(client, "put_item", { table: "fruit", item: { id: { X: "b" } } });
    expect(bad).toMatchObject({ error: { code: "CLI_VALUE_INVALID" } });
    const answer = await client.callTool({ name: "list_tables", arguments: { limit: "many" } });
    expect(answer.isError).toBe(true);
  });

  test("appends and reads events", async () => {
    const events = [{ payload: { added: "apple" } }, { payload: { note: "y".repeat(3000) } }, { payload: 3 }];
    const written = await call(client, "append_events", { id: "cart|1", events, expected: 0 });
    expect(written).toMatchObject({ first: 1, last: 3, undo: null });
    const again = await call(client, "append_events", { id: "cart|1", events, expected: 0 });
    expect(again).toMatchObject({ error: { code: "JOURNAL_CONFLICT", kind: "conflict" } });
    const { events: read, next } = await call(client, "read_events", { id: "cart|1", limit: 1 });
    expect([read[0].payload, next]).toEqual([{ added: "apple" }, 2]);
    const rest = await call(client, "read_events", { id: "cart|1", from: 3 });
    expect(rest["events"].map((event: Json) => event["payload"])).toEqual([3]);
    expect(await call(client, "list_ids", { prefix: "cart" })).toMatchObject({ ids: [{ id: "cart|1" }] });
    const missing = await call(client, "read_events", { id: "cart|2" });
    expect(missing).toMatchObject({ error: { code: "CLI_NO_EVENTS", kind: "not-found" } });
  });

  test("reads the feed", async () => {
    expect((await runMain(["feed", "run", "--once", "--data", folder])).code).toBe(0);
    expect(await call(client, "feed_status")).toMatchObject({ events: 3 });
    const first = await call(client, "read_feed", { limit: 1 });
    expect(first["events"]).toMatchObject([{ persistenceId: "cart|1", sequenceNr: 1 }]);
    const { events } = await call(client, "read_feed", { from: first["next"], limit: 1 });
    expect(events).toMatchObject([{ sequenceNr: 2 }]);
  });

  test("waits for the code and the link of mail that arrives", async () => {
    const { position: since } = await call(client, "list_mail");
    const code = call(client, "wait_for_code", { to: "ann@example.com", since, timeoutSeconds: 50 });
    const link = call(client, "wait_for_link", { to: "ann@example.com", since, contains: "/confirm" });
    await send("ann@example.com", "Hello", "No code, order 12345, https://example.com/000111");
    await send("ann@example.com", "Welcome", "Your code is 483920.\nhttps://example.com/confirm?t=1");
    expect(await code).toMatchObject({ code: "483920", message: { subject: "Welcome" } });
    expect(await link).toMatchObject({ link: "https://example.com/confirm?t=1" });
    const { messages } = await call(client, "search_mail", { query: "subject:welcome" });
    expect(await call(client, "get_mail", { id: messages[0].id })).toMatchObject({
      content: { text: expect.stringContaining("483920") },
      links: ["https://example.com/confirm?t=1"],
    });
    const none = await call(client, "wait_for_message", { to: "nobody@example.com", timeoutSeconds: 0.2 });
    expect(none).toMatchObject({ error: { code: "CLI_NO_MESSAGE" } });
  });

  test("returns a long text in parts", async () => {
    const text = `begin ${"é😀\n".repeat(600)}end`;
    await send("long@example.com", "Long", text);
    const { message } = await call(client, "wait_for_message", { to: "long@example.com" });
    let offset: number | undefined = 0;
    let read = "";
    while (offset !== undefined) {
      const { content } = (await call(client, "get_mail", { id: message.id, offset })) as Json;
      expect(JSON.stringify(content).length).toBeLessThanOrEqual(4096);
      read += content.text;
      offset = content.nextOffset;
    }
    expect(read.trim()).toBe(text);
  });

  test("deletes a message and stores it again", async () => {
    await send("ben@example.com", "Keep me", "hello");
    const { message } = await call(client, "wait_for_message", { to: "ben@example.com" });
    const { undo } = await call(client, "delete_mail", { id: message.id });
    const gone = await call(client, "get_mail", { id: message.id });
    expect(gone).toMatchObject({ error: { code: "CLI_NO_MESSAGE" } });
    const { id } = await call(client, "undo", { id: undo });
    expect(await call(client, "get_mail", { id })).toMatchObject({ subject: "Keep me" });
  });

  test("desires a state, and undoes it unless the shadow has changed", async () => {
    const thing = "lamp";
    const first = await call(client, "desire_shadow", { thing, state: { on: true, color: { r: 1, g: 2 } } });
    const second = await call(client, "desire_shadow", { thing, state: { on: null, color: { r: 9, b: 3 } } });
    const undone = await call(client, "undo", { id: second["undo"] });
    expect(undone).toMatchObject({ version: 3 });
    const { shadow } = await call(client, "get_shadow", { thing });
    expect(shadow.state.desired).toEqual({ on: true, color: { r: 1, g: 2 } });
    expect(await call(client, "list_shadows")).toMatchObject({ shadows: [{ thing, version: 3 }] });
    // Two versions later, the first write cannot be undone any more.
    const refused = await call(client, "undo", { id: first["undo"] });
    expect(refused).toMatchObject({ error: { code: "CLI_MCP_CHANGED", kind: "conflict" } });
    expect(await call(client, "get_shadow", { thing })).toMatchObject({ shadow: { version: 3 } });
  });

  test("does not overwrite what another process wrote since", async () => {
    const table = "fruit";
    const other = await stdioClient(folder, "--allow-writes");
    const item = { id: { S: "fig" }, n: { N: "1" }, a: { S: "mine" } };
    const { undo } = await call(client, "put_item", { table, item });
    await call(other, "put_item", { table, item: { ...item, b: { S: "theirs" } } });
    const refused = await call(client, "undo", { id: undo });
    expect(refused).toMatchObject({ error: { code: "CLI_MCP_CHANGED", kind: "conflict" } });
    const key = { id: { S: "fig" }, n: { N: "1" } };
    expect(await call(other, "get_item", { table, key })).toMatchObject({ item: { b: { S: "theirs" } } });
    // A session undoes only its own writes.
    expect(await call(other, "undo", { id: undo })).toMatchObject({ error: { code: "CLI_MCP_NO_UNDO" } });
    await other.close();
  });
});

describe("on a folder that nobody serves", () => {
  const folder = tempFolder();
  let client: Client;

  beforeAll(async () => {
    const { stderr } = await runMain([
      "mail",
      "put",
      "--to",
      "ann@example.com",
      "--create",
      "--data",
      folder,
    ]);
    expect(stderr).toBe("");
    client = await stdioClient(folder);
  });
  afterAll(() => client.close());

  test("is read-only", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(readTools);
    await expect(client.callTool({ name: "put_item", arguments: {} })).rejects.toThrow(/put_item/);
  });

  test("runs calls that arrive together, and leaves the folder to others between them", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(client, "list_tables")));
    expect(answers).toEqual(answers.map(() => ({ tables: ["mail"] })));
    const served = startServed(program, folder);
    await served.urls;
    expect(await call(client, "list_mail")).toMatchObject({ messages: [expect.anything()] });
    expect(await served.stop()).toBe(0);
    expect(await call(client, "list_mail")).toMatchObject({ messages: [expect.anything()] });
  });

  test("does not wait for mail that nothing can receive", async () => {
    const stored = await call(client, "wait_for_message", { to: "ann@example.com" });
    expect(stored).toMatchObject({ message: expect.anything() });
    const none = await call(client, "wait_for_message", { to: "ben@example.com", timeoutSeconds: 50 });
    expect(none).toMatchObject({
      error: { code: "CLI_NO_MESSAGE", message: expect.stringContaining("serve") },
    });
  });
});

describe("over HTTP", () => {
  const folder = tempFolder();
  const children: ReturnType<typeof spawn>[] = [];
  let url = "";

  beforeAll(async () => {
    await runMain(["mail", "put", "--to", "ann@example.com", "--create", "--data", folder]);
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
