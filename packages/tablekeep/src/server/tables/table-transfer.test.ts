/** PartiQL, export, import and live changes to tables over HTTP. */
import { ensureTable } from "@tablekeep/client";
import { type Engine, openEngine } from "@tablekeep/engine";
import { ensureStream } from "@tablekeep/feed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";

const off = { mail: false, smtp: false, shadows: false, mqtt: false, dynamodb: false, httpPort: 0 } as const;
let server: RunningServer;
/** A server behind a port, as on Amazon DynamoDB. */
let remote: RunningServer;
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  server = await startServer({ ...off, memory: true, journals: [] });
  remote = await startServer({ ...off, port: engine, journals: [] });
  await send("", { name: "fruit", partitionKey: { name: "id" } });
  await send("", { name: "copy", partitionKey: { name: "id" } });
  await ensureTable(engine, { name: "fruit", partitionKey: { name: "id", type: "S" } });
  await ensureTable(engine, { name: "dull", partitionKey: { name: "id", type: "S" } });
  await ensureStream(engine, "fruit", "NEW_AND_OLD_IMAGES");
});
afterAll(async () => {
  await server.stop();
  await remote.stop();
  await engine.close();
});

const urlOf = (path: string, { listeners } = server) => `${listeners[0]?.url}api/v3/${path}`;
/** The members of any answer. */
interface Answered {
  readonly error: string;
  readonly items: readonly Readonly<Record<string, { readonly S?: string }>>[];
  readonly units: number;
  readonly next?: string;
}
async function send(path: string, body: unknown, at = server): Promise<[number, Answered]> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(urlOf(`tables${path}`, at), { method: "POST", body: text });
  return [answer.status, (await answer.json()) as Answered];
}
async function run(statement: unknown, more: object = {}, at = server): Promise<[number, Answered]> {
  const body = JSON.stringify({ statement, ...more });
  const answer = await fetch(urlOf("partiql", at), { method: "POST", body });
  return [answer.status, (await answer.json()) as Answered];
}
const exported = async (table: string) => (await fetch(urlOf(`tables/${table}/export`))).text();

describe("PartiQL", () => {
  test("writes, reads with parameters, and reports the capacity", async () => {
    expect(await run(`INSERT INTO "fruit" VALUE {'id': 'pear', 'total': 12345678901234567890}`)).toEqual([
      200,
      { items: [], units: expect.any(Number) },
    ]);
    expect(
      (await run("UPDATE fruit SET color = 'green' WHERE id = ?", { parameters: [{ S: "pear" }] }))[0],
    ).toBe(200);
    const [status, { items, units }] = await run('SELECT * FROM "fruit" WHERE id = ?', {
      parameters: [{ S: "pear" }],
    });
    expect([status, items]).toEqual([
      200,
      [{ id: { S: "pear" }, total: { N: "12345678901234567890" }, color: { S: "green" } }],
    ]);
    expect(units).toBeGreaterThan(0);
  });

  test("returns page by page", async () => {
    for (const id of ["a", "b", "c"]) await run(`INSERT INTO copy VALUE {'id': '${id}'}`);
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const [, page] = await run("SELECT id FROM copy", { limit: 1, next });
      seen.push(...page.items.map((item) => item["id"]?.S ?? ""));
      next = page.next;
    } while (next !== undefined);
    expect(seen.toSorted()).toEqual(["a", "b", "c"]);
  });

  test.each([
    ["no statement", undefined, {}],
    ["an empty statement", "  ", {}],
    ["a statement that is not PartiQL", "SELECT", {}],
    ["parameters that are not a list", "SELECT * FROM fruit", { parameters: {} }],
    ["a parameter without a type", "SELECT * FROM fruit", { parameters: ["pear"] }],
    ["a limit of 0", "SELECT * FROM fruit", { limit: 0 }],
    ["a write in another form", "/* x */ DELETE FROM fruit WHERE id = 'pear'", {}],
    ["an ARN", `DELETE FROM "arn:aws:dynamodb:us-east-1:000000000000:table/fruit" WHERE id = 'pear'`, {}],
    ["a table with an index", `DELETE FROM "fruit"."x" WHERE id = 'pear'`, {}],
  ])("rejects %s with 400", async (_, statement, more) => {
    const [status, { error }] = await run(statement, more);
    expect([status, error]).toEqual([400, expect.any(String)]);
    expect((await run("SELECT * FROM fruit WHERE id = 'pear'"))[1].items).toHaveLength(1);
  });

  test("reports an unknown table with 404 or 400", async () => {
    expect((await run("DELETE FROM nothing WHERE id = 'x'"))[0]).toBe(404);
    expect([400, 404]).toContain((await run("SELECT * FROM nothing"))[0]);
  });
});

describe("export and import", () => {
  test("an export can be imported, with every type and digit", async () => {
    const item = {
      id: { S: "ünï\n" },
      total: { N: "12345678901234567890.5" },
      bytes: { B: "AQI=" },
      parts: { SS: ["a", "b"] },
      deep: { M: { list: { L: [{ BOOL: true }, { NULL: true }] } } },
    };
    expect(await send("/fruit/import", `\n${JSON.stringify({ Item: item })}\n`)).toEqual([200, { items: 1 }]);
    const lines = await exported("fruit");
    expect(await send("/copy/import", lines)).toEqual([200, { items: 2 }]);
    const sorted = (text: string) => text.split("\n").toSorted();
    const copied = sorted(await exported("copy"));
    for (const line of sorted(lines)) expect(copied).toContain(line);
    expect(lines).toContain('"12345678901234567890.5"');
  });

  test("more items than one request of DynamoDB has, and the last of equal keys", async () => {
    const line = (at: number, n: number) =>
      JSON.stringify({ Item: { id: { S: `many-${at}` }, n: { N: `${n}` } } });
    const many = [...Array.from({ length: 60 }, (_, at) => line(at, 0)), line(7, 1), line(7, 2)];
    expect(await send("/copy/import", many.join("\n"))).toEqual([200, { items: 62 }]);
    expect(await exported("copy")).toContain(line(7, 2));
    expect(await exported("copy")).not.toContain(line(7, 1));
  });

  test("an empty table exports nothing, and HEAD sends no items", async () => {
    await send("", { name: "empty", partitionKey: { name: "id" } });
    expect(await exported("empty")).toBe("");
    const head = await fetch(urlOf("tables/fruit/export"), { method: "HEAD" });
    expect([head.status, head.headers.get("content-disposition")]).toEqual([
      200,
      'attachment; filename="fruit.jsonl"',
    ]);
    expect((await fetch(urlOf("tables/nothing/export"))).status).toBe(404);
  });

  test.each([
    ["invalid JSON", "{", "line 11: invalid JSON"],
    ["an item without its envelope", '{"id":{"S":"x"}}', "line 11"],
    ["an item in plain JSON", '{"Item":{"id":"x"}}', "line 11"],
    ["an item without its key", '{"Item":{"n":{"N":"1"}}}', "line 11: the key attribute id"],
    ["a key of another type", '{"Item":{"id":{"N":"1"}}}', "line 11: the key attribute id"],
    ["null", "null", "line 11"],
  ])("rejects %s, and stores nothing of the request", async (_, line, message) => {
    const good = '{"Item":{"id":{"S":"never"}}}';
    const [status, { error }] = await send("/copy/import?firstLine=10", `${good}\n${line}\n`);
    expect([status, error]).toEqual([400, expect.stringContaining(message)]);
    expect(await exported("copy")).not.toContain("never");
  });

  test("rejects a body of more than 16 MB, and bytes that are not UTF-8", async () => {
    const big = await fetch(urlOf("tables/copy/import"), { method: "POST", body: "\n".repeat(17_000_000) });
    expect(big.status).toBe(413);
    const bytes = await fetch(urlOf("tables/copy/import"), {
      method: "POST",
      body: new Uint8Array([0xff, 0x0a]),
    });
    expect(bytes.status).toBe(400);
  });
});

describe("changes", () => {
  /** The events of a stream, one at a time. */
  async function* follow(table: string, at: RunningServer, signal: AbortSignal) {
    const answer = await fetch(urlOf(`tables/${table}/live`, at), { signal });
    if (answer.body === null || answer.status !== 200) throw new Error(await answer.text());
    let text = "";
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const [event, data] = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        if (data !== undefined) yield [event?.replace("event: ", ""), JSON.parse(data.replace("data: ", ""))];
        else yield ["opened"];
      }
    }
  }

  test.each([
    ["the embedded engine", () => server],
    ["the stream of a table", () => remote],
  ])("are streamed with the items before and after them, from %s", async (_, at) => {
    const life = new AbortController();
    const events = follow("fruit", at(), life.signal);
    expect((await events.next()).value).toEqual(["opened"]);
    const [old, young] = [{ id: { S: "plum" } }, { id: { S: "plum" }, ripe: { BOOL: true } }];
    for (const [from, to] of [
      [null, old],
      [old, young],
      [young, null],
    ])
      expect((await send("/fruit/change", { from, to }, at()))[0]).toBe(200);
    const seen = [];
    while (seen.length < 3) {
      const [event, data] = (await events.next()).value ?? [];
      if (event === "change") seen.push([data.before, data.after]);
    }
    expect(seen).toEqual([
      [null, old],
      [old, young],
      [young, null],
    ]);
    life.abort();
  });

  test("of a table without a stream, behind a port, are an error that says so", async () => {
    const answer = await fetch(urlOf("tables/dull/live", remote));
    expect(await answer.json()).toMatchObject({ code: "FEED_STREAM_MISSING" });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});
