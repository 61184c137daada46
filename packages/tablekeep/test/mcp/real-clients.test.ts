/** `tablekeep mcp` as a real process, with the client of the official SDK over stdio. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { connect, ensureTable } from "@tablekeep/client";
import { readFolderAccess } from "@tablekeep/engine";
import { shadowHistoryTableSpec } from "@tablekeep/shadow";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { damageEvent } from "../damage-event.ts";
import { bundleModule } from "../entities/bundle-module.ts";
import { runMain } from "../run-main.ts";
import { type ServedProcess, startServed } from "../shadow/served-process.ts";
import { storeProjection } from "../stored-projection.ts";
import { tempFolder } from "../temp-folder.ts";
import { call, type Json, readTools, stdioClient } from "./agent.ts";

interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

let program = "";
beforeAll(async () => {
  program = await buildProgram();
});

const writeTools = [
  "append_events",
  "control_projection",
  "delete_item",
  "delete_mail",
  "desire_shadow",
  "put_item",
  "undo",
];

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
    const { endpoint = "", ...credentials } = readFolderAccess(folder) ?? {};
    await using port = connect({ endpoint, region: "local", credentials: credentials as KeyPair });
    // As a server with --shadow-history creates it: commands add to it then.
    await ensureTable(port, shadowHistoryTableSpec());
    const config = `${folder}.json`;
    writeFileSync(config, JSON.stringify({ entities: await bundleModule(join(folder, "..")) }));
    client = await stdioClient(program, folder, "--allow-writes", "--max-bytes", "4096", "--config", config);
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

  test("accepts items and keys in plain JSON, and no integer that has lost digits", async () => {
    const table = "fruit";
    const key = { id: "plum", n: 2 };
    const { undo } = await call(client, "put_item", {
      table,
      item: { ...key, ripe: true, sizes: [1.5, "x"] },
    });
    expect(await call(client, "get_item", { table, key })).toEqual({
      item: {
        id: { S: "plum" },
        n: { N: "2" },
        ripe: { BOOL: true },
        sizes: { L: [{ N: "1.5" }, { S: "x" }] },
      },
    });
    const large = await call(client, "put_item", { table, item: { ...key, sizes: [2 ** 53] } });
    expect(large).toMatchObject({ error: { code: "CLI_VALUE_INVALID" } });
    expect(await call(client, "delete_item", { table, key })).toMatchObject({ deleted: true });
    await call(client, "undo");
    await call(client, "undo", { id: undo });
    expect(await call(client, "get_item", { table, key })).toEqual({ item: null });
    expect(await call(client, "get_item", { table, key: { id: "plum" } })).toHaveProperty("error");
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
    const bounded = await call(client, "read_events", { id: "cart|1", to: 1 });
    expect(bounded["events"]).toMatchObject([{ payload: { added: "apple" } }]);
    const rest = await call(client, "read_events", { id: "cart|1", from: 3 });
    expect(rest["events"].map((event: Json) => event["payload"])).toEqual([3]);
    expect(await call(client, "list_ids", { prefix: "cart" })).toMatchObject({ ids: [{ id: "cart|1" }] });
    const { next: more, ids } = await call(client, "list_ids", { limit: 1 });
    expect([ids, typeof more]).toEqual([[{ id: "cart|1" }], "string"]);
    expect(await call(client, "list_ids", { cursor: more })).not.toHaveProperty("next");
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
    const { endpoint = "", ...credentials } = readFolderAccess(folder) ?? {};
    await using port = connect({ endpoint, region: "local", credentials: credentials as KeyPair });
    const restore = await damageEvent(port, "cart|1", 1);
    const damaged = await call(client, "read_feed", { limit: 2 });
    const error = { code: "JOURNAL_ITEM_CORRUPT" };
    expect(damaged["events"]).toMatchObject([
      { sequenceNr: 1, error },
      { sequenceNr: 2, error },
    ]);
    await restore();
    const rest = await call(client, "read_feed", { from: damaged["next"] });
    expect(rest["events"]).toMatchObject([{ sequenceNr: 3, payload: 3 }]);
  });

  test("reads states of entities", async () => {
    const events = [
      { payload: { type: "deposited", coins: 2 } },
      { payload: { type: "deposited", coins: 1 } },
    ];
    await call(client, "append_events", { id: "account|ann", events });
    const state = { owner: "ann", cents: 200, deposits: 1 };
    expect(await call(client, "read_state", { id: "account|ann", at: 1 })).toMatchObject({
      entity: "account",
      id: "ann",
      sequenceNr: 1,
      state,
    });
    const unknown = await call(client, "read_state", { id: "cart|1" });
    expect(unknown).toMatchObject({ error: { code: "SERVER_ENTITY_UNKNOWN" } });
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

  test("reads an inbox by its name and, if it has one, its token", async () => {
    const base = (urls["http"] ?? "").replace(/\/$/, "");
    const token = "secret-of-own";
    await fetch(`${base}/api/v3/inboxes/own`, { method: "PUT", body: JSON.stringify({ token }) });
    const store = (inbox: string) =>
      fetch(`${base}/inbox/${inbox}/api/v3/mail/messages?to=b@example.com`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: "Subject: In an inbox\r\n\r\nYour code is 112233.",
      });
    await store("own");
    await store("open");
    const [open, own] = [{ inbox: "open" }, { inbox: "own", token }];
    const { messages, position } = await call(client, "list_mail", open);
    const { id } = messages[0];
    expect((await call(client, "search_mail", { query: "inbox" }))["messages"]).toEqual([]);
    expect((await call(client, "search_mail", { query: "inbox", ...open }))["messages"]).toHaveLength(1);
    expect(await call(client, "get_mail", { id })).toMatchObject({ error: { code: "CLI_NO_MESSAGE" } });
    const code = call(client, "wait_for_code", { since: position, timeoutSeconds: 50, ...open });
    await store("open");
    expect(await code).toMatchObject({ code: "112233" });
    const { undo } = await call(client, "delete_mail", { id, ...open });
    const restored = await call(client, "undo", { id: undo });
    const read = await call(client, "get_mail", { id: restored["id"], ...open });
    expect(read).toMatchObject({ subject: "In an inbox" });
    for (const given of [{ inbox: "own" }, { inbox: "own", token: "another" }])
      for (const [tool, args] of Object.entries({
        list_mail: {},
        search_mail: { query: "x" },
        wait_for_message: {},
        get_mail: { id },
        delete_mail: { id },
      }))
        expect((await call(client, tool, { ...args, ...given }))["error"].code).toBe("CLI_INBOX_TOKEN");
    expect((await call(client, "list_mail", own))["messages"]).toHaveLength(1);
    expect((await call(client, "list_mail", { inbox: "Not/a name" }))["error"].kind).toBe("invalid");
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
    // Two versions later, the first write can no longer be undone.
    const refused = await call(client, "undo", { id: first["undo"] });
    expect(refused).toMatchObject({ error: { code: "CLI_MCP_CHANGED", kind: "conflict" } });
    expect(await call(client, "get_shadow", { thing })).toMatchObject({ shadow: { version: 3 } });
  });

  test("searches shadows and reads their history, page by page", async () => {
    for (let n = 1; n <= 12; n++) {
      const state = JSON.stringify({ firmware: `2.${n}`, text: "x".repeat(300) });
      await runMain(["shadow", "report", `pump-${n}`, state, "--data", folder]);
    }
    const query = 'reported.firmware > "2.2"';
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await call(client, "search_shadows", { query, ...(cursor && { cursor }) });
      expect(JSON.stringify(page["shadows"]).length).toBeLessThanOrEqual(4096 + 20);
      seen.push(...page["shadows"].map((shadow: Json) => shadow["thing"]));
      cursor = page["next"];
      pages++;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(Array.from({ length: 10 }, (_, at) => `pump-${at + 3}`).toSorted());
    expect(pages).toBeGreaterThan(1);
    expect(await call(client, "search_shadows", { query: "reported.a =" })).toMatchObject({
      error: { code: "SHADOW_QUERY_INVALID" },
    });
    const thing = "lamp";
    const { entries, next } = await call(client, "shadow_history", { thing, limit: 1 });
    expect(entries).toMatchObject([{ version: 3 }]);
    const older = await call(client, "shadow_history", { thing, cursor: next, path: "/desired/on" });
    expect(older["entries"].map((entry: Json) => entry["version"])).toEqual([2, 1]);
  });

  test("shows rollouts and their things", async () => {
    const create = ["shadow", "rollout", "create", "v3", 'thing = "pump-1"', '{"n":9007199254740993}'];
    expect((await runMain([...create, "--data", folder])).stderr).toBe("");
    expect(await call(client, "list_rollouts")).toMatchObject({ rollouts: [{ name: "v3" }], total: 1 });
    const things = async () => (await call(client, "get_rollout", { name: "v3" }))["things"];
    await expect.poll(things).toMatchObject([{ thing: "pump-1", wave: 1 }]);
    expect(await call(client, "get_rollout", { name: "none" })).toMatchObject({
      error: { code: "CLI_NO_ROLLOUT" },
    });
  });

  test("shows and controls projections", async () => {
    expect(await call(client, "list_projections")).toMatchObject({ projections: [], total: 0 });
    const { endpoint = "", ...credentials } = readFolderAccess(folder) ?? {};
    await using port = connect({ endpoint, region: "local", credentials: credentials as KeyPair });
    const parked = Array.from({ length: 30 }, (_, at) => [at, `cart-${at}`, "e".repeat(100)] as const);
    await storeProjection(port, { name: "balances", parked, stoppedBy: ["cart-9", "handler failed"] });
    expect(await call(client, "list_projections")).toMatchObject({
      projections: [{ name: "balances", state: "stopped", parked: 30 }],
    });
    const shown = await call(client, "get_projection", { name: "balances" });
    expect(shown).toMatchObject({
      stoppedAt: [{ slice: 0, persistenceId: "cart-9", error: "handler failed" }],
      more: true,
    });
    expect(JSON.stringify(shown["parked"]).length).toBeLessThanOrEqual(2048 + 20);
    const control = (action: string) => call(client, "control_projection", { name: "balances", action });
    expect(await control("pause")).toEqual({ state: "paused", undo: null });
    expect(await control("resume")).toEqual({ state: "running", undo: null });
    expect(await control("retry")).toEqual({ ids: 30, undo: null });
    expect(await call(client, "get_projection", { name: "none" })).toMatchObject({
      error: { code: "PROJECTION_UNKNOWN" },
    });
  });

  test("does not overwrite what another process wrote since", async () => {
    const table = "fruit";
    const other = await stdioClient(program, folder, "--allow-writes");
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

  test("undoes no older write in place of events", async () => {
    const key = { id: { S: "before-events" }, n: { N: "1" } };
    const { undo } = await call(client, "put_item", { table: "fruit", item: key });
    await call(client, "append_events", { id: "bill|1", events: [{ payload: 1 }] });
    expect(await call(client, "undo")).toMatchObject({ error: { code: "CLI_MCP_NO_UNDO" } });
    expect(await call(client, "get_item", { table: "fruit", key })).toEqual({ item: key });
    expect(await call(client, "undo", { id: undo })).toMatchObject({ undone: undo });
    expect(await call(client, "get_item", { table: "fruit", key })).toEqual({ item: null });
  });
});
