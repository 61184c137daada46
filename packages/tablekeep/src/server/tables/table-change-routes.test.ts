import { connect, ensureTable } from "@tablekeep/client";
import { projectionTableSpec } from "@tablekeep/feed/projections";
import { journalTableSpec, openJournal, snapshotTableSpec } from "@tablekeep/journal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";

let server: RunningServer;
let base: string;

beforeAll(async () => {
  server = await startServer({
    memory: true,
    mail: false,
    smtp: false,
    mqtt: false,
    dynamodb: false,
    journals: [],
    httpPort: 0,
  });
  base = `${server.listeners[0]?.url}api/v3/tables`;
});
afterAll(() => server.stop());

async function send(method: string, path: string, body?: unknown): Promise<[number, string]> {
  const answer = await fetch(`${base}${path}`, { method, body: JSON.stringify(body) });
  return [answer.status, await answer.text()];
}
const change = async (from: object | null, to: object | null, table = "fruit") =>
  (await send("POST", `/${table}/change`, { from, to }))[0];
const stored = async (id: string) => {
  const query = new URLSearchParams({ key: JSON.stringify({ id: { S: id }, nr: { N: "1" } }) });
  const answer = await fetch(`${base}/fruit/item?${query}`);
  return answer.status === 404 ? null : ((await answer.json()) as { item: unknown }).item;
};
const item = (id: string, more: object = {}) => ({ id: { S: id }, nr: { N: "1" }, ...more });

test("creates a table, rejects a second one of its name, and deletes it", async () => {
  const table = { name: "fruit", partitionKey: { name: "id" }, sortKey: { name: "nr", type: "N" } };
  expect(await send("POST", "", table)).toEqual([200, '{"name":"fruit","status":"ACTIVE"}\n']);
  expect((await send("POST", "", table))[0]).toBe(409);
  expect((await send("POST", "", { ...table, name: "gone" }))[0]).toBe(200);
  expect(await send("DELETE", "/gone")).toEqual([200, '{"name":"gone"}\n']);
  expect((await send("DELETE", "/gone"))[0]).toBe(404);
});

test("creates and deletes an index, and sets the stream and the time to live of a table", async () => {
  await send("POST", "", { name: "plants", partitionKey: { name: "id" } });
  const read = async (path = "") =>
    JSON.parse((await send("GET", `/plants${path}`))[1]) as Record<string, unknown>;
  const createIndex = {
    name: "by-color",
    partitionKey: { name: "color" },
    sortKey: { name: "height", type: "N" },
    projection: ["latin"],
  };
  expect(await send("PATCH", "/plants", { createIndex })).toEqual([200, '{"name":"plants"}\n']);
  await expect
    .poll(() => read())
    .toMatchObject({
      indexes: [
        {
          name: "by-color",
          kind: "global",
          status: "ACTIVE",
          partition: { name: "color", type: "S" },
          sort: { name: "height", type: "N" },
          projection: ["latin"],
        },
      ],
    });
  const keysOnly = { name: "by-height", partitionKey: { name: "height", type: "N" }, projection: "keys" };
  expect((await send("PATCH", "/plants", { createIndex: keysOnly }))[0]).toBe(200);
  await expect
    .poll(async () => (await read())["indexes"])
    .toMatchObject([{ status: "ACTIVE" }, { status: "ACTIVE" }]);
  expect((await send("PATCH", "/plants", { deleteIndex: "by-color" }))[0]).toBe(200);
  await expect.poll(async () => (await read())["indexes"]).toMatchObject([{ name: "by-height" }]);
  expect((await send("PATCH", "/plants", { stream: "NEW_IMAGE" }))[0]).toBe(200);
  expect(await read()).toMatchObject({ stream: "NEW_IMAGE" });
  expect((await send("PATCH", "/plants", { stream: null }))[0]).toBe(200);
  expect(await read()).not.toHaveProperty("stream");
  expect(await read("/time-to-live")).toEqual({ attribute: null });
  expect((await send("PATCH", "/plants", { timeToLive: null }))[0]).toBe(200);
  expect((await send("PATCH", "/plants", { timeToLive: "until" }))[0]).toBe(200);
  expect(await read("/time-to-live")).toEqual({ attribute: "until" });
  expect((await send("PATCH", "/plants", { timeToLive: null }))[0]).toBe(200);
  expect(await read("/time-to-live")).toEqual({ attribute: null });
});

test.each([
  [{}, 400],
  [{ stream: null, timeToLive: null }, 400],
  [{ billing: "on-demand" }, 400],
  [{ stream: "ALL" }, 400],
  [{ timeToLive: 1 }, 400],
  [{ deleteIndex: "" }, 400],
  [{ deleteIndex: "none" }, 404],
  [{ createIndex: { name: "by-color" } }, 400],
  [{ createIndex: { name: "by-id", partitionKey: { name: "id", type: "N" } } }, 400],
  [{ createIndex: { name: "by-color", partitionKey: { name: "color" }, projection: "some" } }, 400],
  [{ createIndex: { name: "x y", partitionKey: { name: "color" } } }, 400],
])("rejects the change %j of a table with %i", async (body, status) => {
  expect((await send("PATCH", "/plants", body))[0]).toBe(status);
});

test("does not change a table that does not exist", async () => {
  expect((await send("PATCH", "/none", { stream: null }))[0]).toBe(404);
  expect((await send("GET", "/none/time-to-live"))[0]).toBe(404);
});

test("creates, changes and deletes an item, and undoes each by the opposite change", async () => {
  const [old, next] = [
    item("pear", { color: { S: "green" }, parts: { SS: ["a", "b"] } }),
    item("pear", { total: { N: "12345678901234567890.5" }, bytes: { B: "AQI=" } }),
  ];
  const steps = [null, old, next, null, next, old, null];
  for (const [at, to] of steps.slice(1).entries()) {
    expect(await change(steps[at] ?? null, to)).toBe(200);
    expect(await stored("pear")).toEqual(to);
  }
});

test("changes nothing if the item is not as expected", async () => {
  const [mine, theirs] = [item("plum", { by: { S: "me" } }), item("plum", { by: { S: "them" } })];
  expect(await change(mine, theirs)).toBe(409);
  expect(await change(null, theirs)).toBe(200);
  expect(await change(null, mine)).toBe(409);
  expect(await change(mine, null)).toBe(409);
  expect(await change(item("plum"), mine)).toBe(409);
  expect(await stored("plum")).toEqual(theirs);
});

test("of changes at the same time one is applied", async () => {
  const start = item("race");
  await change(null, start);
  const tos = Array.from({ length: 8 }, (_, at) => item("race", { by: { N: String(at) } }));
  const statuses = await Promise.all(tos.map((to) => change(start, to)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(7);
  expect(await stored("race")).toEqual(tos[statuses.indexOf(200)]);
});

test.each([
  ["no item at all", { from: null, to: null }],
  ["a missing member", { to: item("x") }],
  ["another key", { from: item("x"), to: item("y") }],
  ["a missing key", { from: null, to: { id: { S: "x" } } }],
  ["an unknown type", { from: null, to: item("x", { a: { X: 1 } }) }],
  [
    "too many attributes",
    {
      from: null,
      to: Object.assign(item("x"), ...Array.from({ length: 101 }, (_, at) => ({ [`a${at}`]: { S: "" } }))),
    },
  ],
  ["no object", 5],
])("rejects %s with 400", async (_, body) => {
  expect((await send("POST", "/fruit/change", body))[0]).toBe(400);
  expect(await stored("x")).toBeNull();
});

test.each([
  {},
  { name: "t" },
  { name: "t", partitionKey: { name: "id", type: "X" } },
  { name: "", partitionKey: { name: "id" } },
])("rejects a table like %o with 400", async (body) => {
  expect((await send("POST", "", body))[0]).toBe(400);
});

test("tables of the server's stores are read-only", async () => {
  const { tables } = (await (await fetch(base)).json()) as { tables: string[] };
  const owned = tables.find((name) => name !== "fruit") ?? "";
  expect(JSON.parse((await send("GET", `/${owned}`))[1])).toMatchObject({ name: owned, readOnly: true });
  expect((await send("DELETE", `/${owned}`))[0]).toBe(403);
  expect(await change(null, item("x"), owned)).toBe(403);
  expect(JSON.parse((await send("GET", "/fruit"))[1])).not.toHaveProperty("readOnly");
});

test("tables of journals and other stores are read-only, whichever program wrote them", async () => {
  const options = {
    memory: true,
    mail: false,
    smtp: false,
    mqtt: false,
    httpPort: 0,
    dynamodbPort: 0,
  } as const;
  await using other = await startServer({ ...options, journals: [] });
  const urlOf = (name: string) => other.listeners.find((each) => each.name === name)?.url ?? "";
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  await using port = connect({ endpoint: urlOf("dynamodb"), credentials });
  const tables = [
    journalTableSpec({ table: "carts" }),
    journalTableSpec({ table: "lines", layout: "linear" }),
    snapshotTableSpec("saved"),
    projectionTableSpec("reports"),
  ];
  for (const spec of tables) await ensureTable(port, spec);
  await openJournal(port, { table: "lines", layout: "linear" });
  // The same keys, and no journal.
  await ensureTable(port, { ...journalTableSpec({ table: "lines", layout: "linear" }), name: "plain" });
  const read = async (table: string) =>
    (await fetch(`${urlOf("http")}api/v3/tables/${table}`)).json() as Promise<{
      readOnly?: true;
      reason?: string;
    }>;
  for (const { name } of tables) {
    expect([name, (await read(name)).reason]).toEqual([name, expect.stringContaining(`${name} holds `)]);
    const answers = await Promise.all([
      fetch(`${urlOf("http")}api/v3/tables/${name}`, { method: "DELETE" }),
      fetch(`${urlOf("http")}api/v3/tables/${name}/import`, { method: "POST", body: "" }),
      fetch(`${urlOf("http")}api/v3/partiql`, {
        method: "POST",
        body: JSON.stringify({ statement: `DELETE FROM "${name}" WHERE par = 'x'` }),
      }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  }
  expect(await read("plain")).not.toHaveProperty("readOnly");
});

test("tables require a key here too if the endpoint requires one and HTTP has no users", async () => {
  const options = {
    memory: true,
    mail: false,
    smtp: false,
    mqtt: false,
    journals: [],
    httpPort: 0,
    dynamodbPort: 0,
  } as const;
  await using closed = await startServer({ ...options, accessKeys: { AKIATEST: "secret" } });
  const web = closed.listeners.find(({ name }) => name === "http")?.url;
  const body = JSON.stringify({ name: "fruit", partitionKey: { name: "id" } });
  const answer = await fetch(`${web}api/v3/tables`, { method: "POST", body });
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("access key")]);
  expect((await fetch(`${web}api/v3/tables`)).status).toBe(200);
});
