import { silentLogger, systemClock } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describedOperations, servedOperations } from "../../../test/served-operations.ts";
import { type RunningServer, startServer } from "../start-server.ts";
import { followTable } from "./live-route.ts";
import { partiqlRoute } from "./partiql-route.ts";
import { tableRights } from "./table-rights.ts";
import { tablesRoutes } from "./tables-routes.ts";
import { transferRoutes } from "./transfer-routes.ts";
import { undoRoute } from "./undo/undo-route.ts";
import { UndoLog } from "./undo/undo-steps.ts";

const TableName = "orders.all";
let engine: Engine;
let server: RunningServer;
let base: string;

beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  const key = (AttributeName: string, KeyType: "HASH" | "RANGE") => ({ AttributeName, KeyType });
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: [key("customer", "HASH"), key("nr", "RANGE")],
    AttributeDefinitions: [
      { AttributeName: "customer", AttributeType: "S" },
      { AttributeName: "nr", AttributeType: "N" },
      { AttributeName: "status", AttributeType: "S" },
      { AttributeName: "code", AttributeType: "B" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-status",
        KeySchema: [key("status", "HASH")],
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["total"] },
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: "by-code",
        KeySchema: [key("customer", "HASH"), key("code", "RANGE")],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
  });
  for (let nr = 1; nr <= 30; nr++) {
    const Item = {
      customer: { S: nr % 2 === 0 ? "even/1" : "odd" },
      nr: { N: String(nr) },
      status: { S: nr % 3 === 0 ? "paid" : "open" },
      code: { B: Uint8Array.of(nr) },
      total: { N: String(nr * 10) },
      "to where": {
        M: { city: { S: nr % 5 === 0 ? "Bern" : "Basel" }, lines: { L: [{ S: `line ${nr}` }] } },
      },
    };
    await engine.putItem({ TableName, Item });
  }
  server = await startServer({ port: engine, journals: [], mail: false, shadows: false, httpPort: 0 });
  base = `${server.listeners[0]?.url}api/v3/tables`;
});
afterAll(async () => {
  await server.stop();
  await engine.close();
});

interface Page {
  readonly items: readonly { readonly nr: { readonly N: string } }[];
  readonly scanned: number;
  readonly readUnits: number;
  readonly next?: string;
}

async function get(path: string, query: object = {}): Promise<{ status: number; body: unknown }> {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((each): [string, string] => [
        name,
        typeof each === "object" ? JSON.stringify(each) : String(each),
      ]),
  );
  const answer = await fetch(`${base}${path}?${new URLSearchParams(pairs)}`);
  return { status: answer.status, body: await answer.json() };
}

async function items(query: object): Promise<Page> {
  const { status, body } = await get(`/${TableName}/items`, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Page;
}

const numbers = (page: Page) => page.items.map(({ nr }) => Number(nr.N));

describe("what there is", () => {
  test("the names of the tables, page by page", async () => {
    expect((await get("")).body).toEqual({ tables: [TableName] });
    expect((await get("", { limit: 1, after: TableName })).body).toEqual({ tables: [] });
    expect((await get("", { limit: 0 })).status).toBe(400);
  });

  test("keys, indexes and size of one, and what was used of it", async () => {
    await items({ limit: 1 });
    expect((await get(`/${TableName}`)).body).toEqual({
      name: TableName,
      status: "ACTIVE",
      partition: { name: "customer", type: "S" },
      sort: { name: "nr", type: "N" },
      itemCount: 30,
      sizeBytes: expect.any(Number),
      billing: "on-demand",
      indexes: [
        expect.objectContaining({
          name: "by-status",
          kind: "global",
          partition: { name: "status", type: "S" },
          projection: ["total"],
          itemCount: 30,
        }),
        expect.objectContaining({
          name: "by-code",
          kind: "local",
          sort: { name: "code", type: "B" },
          projection: "keys",
        }),
      ],
      used: expect.objectContaining({ requests: expect.any(Number), failures: 0 }),
      browsed: { readUnits: expect.any(Number) },
    });
    type Told = { used: { requests: number }; browsed: { readUnits: number } };
    const { used, browsed } = (await get(`/${TableName}`)).body as Told;
    expect(used.requests).toBeGreaterThan(1);
    expect(browsed.readUnits).toBeGreaterThanOrEqual(0.5);
    expect((await get("/nothing")).status).toBe(404);
    expect((await get("/not!a!name")).status).toBe(400);
  });

  test("one item by its key", async () => {
    const key = { customer: { S: "odd" }, nr: { N: "7" } };
    expect((await get(`/${TableName}/item`, { key })).body).toMatchObject({
      item: { ...key, code: { B: "Bw==" }, total: { N: "70" } },
      readUnits: 1,
    });
    expect((await get(`/${TableName}/item`, { key: { ...key, nr: { N: "8" } } })).status).toBe(404);
  });
});

describe("items", () => {
  test("by a scan, each once over all pages", async () => {
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await items({ limit: 7, ...(cursor && { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(7);
      seen.push(...numbers(page));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen.sort((one, other) => one - other)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  });

  test.each([
    ["of one partition", { partition: "even/1", limit: 3 }, [2, 4, 6]],
    ["from the end", { partition: "even/1", limit: 3, order: "desc" }, [30, 28, 26]],
    ["with one sort key", { partition: "odd", sort: "7" }, [7]],
    ["below", { partition: "odd", sort: "7", sortIs: "<" }, [1, 3, 5]],
    ["between two", { partition: "odd", sort: "7", sortIs: "between", sortTo: "11" }, [7, 9, 11]],
    ["none", { partition: "nobody" }, []],
  ])("by a query %s", async (_, query, expected) => {
    expect(numbers(await items(query))).toEqual(expected);
  });

  test("by an index, whose key may be bytes", async () => {
    const page = await items({ index: "by-status", partition: "paid", limit: 100 });
    expect(numbers(page).sort((one, other) => one - other)).toEqual([3, 6, 9, 12, 15, 18, 21, 24, 27, 30]);
    expect(Object.keys(page.items[0] ?? {}).sort()).toEqual(["customer", "nr", "status", "total"]);
    expect(numbers(await items({ index: "by-code", partition: "odd", sort: "Bw==" }))).toEqual([7]);
  });

  test("by filters on attributes, members and elements, all of which must match", async () => {
    const filter = [
      { path: ["total"], is: ">", value: { N: "100" } },
      { path: ["to where", "city"], is: "=", value: { S: "Bern" } },
      { path: ["to where", "lines", 0], is: "begins_with", value: { S: "line 2" } },
      { path: ["customer"], is: "contains", value: { S: "/" } },
      { path: ["none"], is: "not_exists" },
      { path: ["total"], is: "exists" },
    ];
    expect(numbers(await items({ filter }))).toEqual([20]);
  });

  test("that match a filter fill pages, however many others are between them", async () => {
    const filter = { path: ["total"], is: "<>", value: { N: "20" } };
    const first = await items({ filter, partition: "even/1", limit: 4, consistent: true });
    expect(numbers(first)).toEqual([4, 6, 8, 10]);
    expect(first).toMatchObject({ scanned: 15, readUnits: expect.any(Number) });
    const second = await items({
      filter,
      partition: "even/1",
      limit: 4,
      consistent: true,
      cursor: first.next,
    });
    expect(numbers(second)).toEqual([12, 14, 16, 18]);
  });
});

describe("rejected with status 400", () => {
  test.each([
    ["an unknown parameter", { partion: "odd" }],
    ["a sort key without a partition", { sort: "1" }],
    ["a comparison that is none", { partition: "odd", sort: "1", sortIs: "like" }],
    ["an end without a beginning", { partition: "odd", sort: "1", sortTo: "2" }],
    ["a beginning without an end", { partition: "odd", sort: "1", sortIs: "between" }],
    ["a number that is none", { partition: "odd", sort: "one" }],
    ["a sort key that the index lacks", { index: "by-status", partition: "paid", sort: "1" }],
    ["bytes that are none", { index: "by-code", partition: "odd", sort: "!" }],
    ["an index that is not there", { index: "by-name" }],
    ["a consistent read of a global index", { index: "by-status", partition: "paid", consistent: true }],
    ["an empty partition", { partition: "" }],
    ["a limit of nothing", { limit: 0 }],
    ["an order that is none", { order: "up" }],
    ["a cursor of another query", { cursor: "AAAA" }],
    ["a filter that is not JSON", { filter: "total > 5" }],
    ["a filter with an unknown field", { filter: { path: ["a"], is: "exists", not: true } }],
    ["a filter without a path", { filter: { path: [], is: "exists" } }],
    ["a filter of an element of nothing", { filter: { path: [0], is: "exists" } }],
    ["a filter that compares with nothing", { filter: { path: ["a"], is: "=" } }],
    ["a filter that compares too much", { filter: { path: ["a"], is: "exists", value: { S: "x" } } }],
    ["a filter with a value that is none", { filter: { path: ["a"], is: "=", value: { Q: "x" } } }],
    ["too many filters", { filter: Array(21).fill({ path: ["a"], is: "exists" }) }],
  ])("%s", async (_, query) => {
    const { status, body } = await get(`/${TableName}/items`, query);
    expect({ status, body }).toEqual({
      status: 400,
      body: expect.objectContaining({ error: expect.any(String) }),
    });
  });

  test.each([[""], ["{"], [{ customer: { S: "odd" } }], [{ customer: { S: "odd" }, nr: { N: 7 } }]])(
    "the key %j",
    async (key) => {
      expect((await get(`/${TableName}/item`, { key })).status).toBe(400);
    },
  );
});

test("the OpenAPI document has every operation and no other", () => {
  const usedOf = () => ({
    used: { requests: 0, failures: 0, readUnits: 0, writeUnits: 0 },
    browsed: { readUnits: 0 },
  });
  const rights = tableRights({ port: engine, isOwn: () => false });
  const undo = { engine, log: new UndoLog() };
  const routes = [
    ...tablesRoutes({ port: engine, usedOf, rights, isLive: true, undo }),
    ...transferRoutes(engine, rights, { clock: systemClock, undo }),
    followTable({ port: engine, clock: systemClock, logger: silentLogger }),
    partiqlRoute(engine, rights, undo),
    undoRoute(engine, rights, undo),
  ];
  expect(describedOperations(routes)).toEqual(servedOperations(routes));
});
