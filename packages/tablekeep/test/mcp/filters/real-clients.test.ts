/** Filters of `tablekeep mcp`, with the client of the official SDK. */
import type { Client } from "@modelcontextprotocol/client";
import { ensureTable } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../../build-program.ts";
import { tempFolder } from "../../temp-folder.ts";
import { call, stdioClient } from "../agent.ts";

const table = "fruit";
const folder = tempFolder();
let client: Client;

const items: readonly Item[] = [
  {
    id: { S: "melon" },
    n: { N: "1" },
    total: { N: "5" },
    ripe: { BOOL: true },
    at: { M: { city: { S: "Bern" } } },
    note: { NULL: true },
    tags: { L: [{ S: "a" }, { N: "2" }] },
  },
  {
    id: { S: "melon" },
    n: { N: "2" },
    total: { N: "50" },
    ripe: { BOOL: false },
    at: { M: { city: { S: "Basel" } } },
    note: { S: "x" },
    tags: { L: [] },
  },
];

beforeAll(async () => {
  const engine = await openEngine({ storage: { kind: "folder", path: folder } });
  await ensureTable(engine, {
    name: table,
    partitionKey: { name: "id", type: "S" },
    sortKey: { name: "n", type: "N" },
  });
  for (const Item of items) await engine.putItem({ TableName: table, Item });
  await engine.close();
  client = await stdioClient(await buildProgram(), folder);
});
afterAll(() => client.close());

test.each([
  [["total"], ">", 5, ["2"]],
  [["total"], ">", { N: "5" }, ["2"]],
  [["ripe"], "=", true, ["1"]],
  [["at", "city"], "begins_with", "Be", ["1"]],
  [["at"], "=", { city: "Basel" }, ["2"]],
  [["at"], "=", { M: { city: { S: "Basel" } } }, ["2"]],
  [["note"], "=", null, ["1"]],
  [["tags"], "=", ["a", 2], ["1"]],
  [["tags"], "contains", 2, ["1"]],
  [["total"], "exists", undefined, ["1", "2"]],
] as const)("%j %s %j finds the same by a scan and by a query", async (path, is, value, numbers) => {
  const filters = [{ path, is, value }];
  const scanned = await call(client, "scan_items", { table, filters });
  expect(scanned["items"]).toEqual(items.filter(({ n }) => numbers.some((each) => each === n?.N)));
  const queried = await call(client, "query_items", { table, partition: "melon", filters });
  expect(queried["items"]).toEqual(scanned["items"]);
});

test.each([2 ** 53, { S: 5 }, [{ deep: 2 ** 53 }]])("rejects the value %j", async (value) => {
  const filters = [{ path: ["total"], is: "=", value }];
  const rejected = await call(client, "scan_items", { table, filters });
  expect(rejected).toMatchObject({ error: { code: "CLI_VALUE_INVALID" } });
});
