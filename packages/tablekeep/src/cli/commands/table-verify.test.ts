import { httpPort } from "@tablekeep/client";
import { type DynamoPort, type Item, systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { open } from "lmdb";
import { beforeEach, describe, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";
import { type TableFinding, verifyTable } from "../tables/verify-table.ts";

const createCarts = (port: DynamoPort) =>
  port.createTable({
    TableName: "carts",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "id", AttributeType: "S" },
      { AttributeName: "n", AttributeType: "N" },
      { AttributeName: "owner", AttributeType: "S" },
      { AttributeName: "at", AttributeType: "N" },
    ],
    KeySchema: [
      { AttributeName: "id", KeyType: "HASH" },
      { AttributeName: "n", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-owner",
        KeySchema: [{ AttributeName: "owner", KeyType: "HASH" }],
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["total"] },
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: "by-time",
        KeySchema: [
          { AttributeName: "id", KeyType: "HASH" },
          { AttributeName: "at", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  });

const cart = (id: string, n: number, more: Item = {}): Item => ({
  id: { S: id },
  n: { N: String(n) },
  total: { N: "5.0" },
  tags: { SS: ["b", "a"] },
  raw: { B: new Uint8Array([0, 255]) },
  nested: { M: { list: { L: [{ NULL: true }, { NS: ["2", "1"] }, { BS: [new Uint8Array([1])] }] } } },
  ...more,
});

async function fill(port: DynamoPort): Promise<void> {
  await createCarts(port);
  for (let n = 0; n < 20; n++) {
    const more = {
      ...(n % 2 === 0 && { owner: { S: `owner-${n % 6}` } }),
      ...(n % 3 === 0 && { at: { N: `${n}` } }),
    };
    await port.putItem({ TableName: "carts", Item: cart(`cart-${n % 4}`, n, more) });
  }
  await port.putItem({
    TableName: "carts",
    Item: cart("damaged", 1, { owner: { S: "zoe" }, at: { N: "7" } }),
  });
}

/** Changes what LMDB stores for `damaged`: its item, and its entries in the two indexes. */
async function damage(
  folder: string,
  change: (text: string, region: number) => string | undefined,
): Promise<void> {
  const database = open<string, Buffer>({
    path: folder,
    pageSize: 8192,
    noSubdir: false,
    keyEncoding: "binary",
    encoding: "string",
  });
  for (const { key, value } of [...database.getRange({})]) {
    const region = key[0] ?? 0;
    if ((region !== 1 && region !== 2) || !value.includes("damaged")) continue;
    const changed = change(value, region);
    if (changed === undefined) await database.remove(key);
    else if (changed !== value) await database.put(key, changed);
  }
  await database.close();
}

describe("a folder", () => {
  let folder = "";
  const verify = (...argv: string[]) => runMain(["table", "verify", ...argv, "--data", folder]);
  const findings = async () => {
    const { code, stdout } = await verify("carts", "--json");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { code, summary: lines.at(-1)?.["summary"], found: lines.slice(0, -1) };
  };
  const key = { id: { S: "damaged" }, n: { N: "1" } };

  beforeEach(async () => {
    folder = tempFolder();
    await using engine = await openEngine({ storage: { kind: "folder", path: folder } });
    await fill(engine);
  });

  test("has no findings as the engine stores it", async () => {
    expect(await verify()).toEqual({
      code: 0,
      stdout: "Read 21 items of 1 table and 19 index entries: 0 errors, 0 notes.\n",
      stderr: "",
    });
    expect(await verify("missing")).toMatchObject({ code: 3, stdout: "" });
  });

  test("reports items that an index lacks", async () => {
    await damage(folder, (text, region) => (region === 2 ? undefined : text));
    const { code, found } = await findings();
    expect(code).toBe(9);
    expect(found).toMatchObject([
      { kind: "index-missing", severity: "error", table: "carts", index: "by-owner", key },
      { kind: "index-missing", severity: "error", table: "carts", index: "by-time", key },
      { kind: "count", severity: "error", index: "by-owner" },
      { kind: "count", severity: "error", index: "by-time" },
    ]);
    const { stdout, stderr } = await verify();
    expect(stdout).toMatch(
      /^error +index-missing +carts, index by-owner: \{"id":\{"S":"damaged"\}.*: export /,
    );
    expect(stderr).toMatch(/\[CLI_TABLE_DAMAGED\]\n$/);
  });

  test("reports entries of items that the table does not have", async () => {
    await damage(folder, (text, region) => (region === 1 ? undefined : text));
    expect((await findings()).found).toMatchObject([
      { kind: "index-orphan", index: "by-owner", key },
      { kind: "index-orphan", index: "by-time", key },
      { kind: "count", message: expect.stringMatching(/^21 items .* recorded, and 20 items/) },
    ]);
  });

  test("reports entries with other values, and those that should be at another place", async () => {
    await damage(folder, (text, region) => (region === 2 ? text.replace('"5"', '"6"') : text));
    expect((await findings()).found).toMatchObject([
      { kind: "index-stale", index: "by-owner", key },
      { kind: "index-stale", index: "by-time", key },
    ]);
    await damage(folder, (text, region) => (region === 1 ? text.replace('"zoe"', '"eve"') : text));
    expect((await findings()).found).toMatchObject([
      { kind: "index-missing", index: "by-owner", key },
      { kind: "index-stale", index: "by-time", key },
    ]);
  });

  test("reports keys of another type", async () => {
    await damage(folder, (text, region) => (region === 1 ? text.replace('{"N":"1"}', '{"S":"1"}') : text));
    expect((await findings()).found[0]).toMatchObject({ kind: "key", severity: "error" });
  });
});

test("reports values that keep an item out of an index, as a note", async () => {
  const server = await startDynamoDb({ port: 0 });
  const table = (verb: string, ...rest: string[]) =>
    runMain(["table", verb, ...rest, "--endpoint", server.endpoint]);
  const port = httpPort({
    endpoint: server.endpoint,
    region: "local",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
  });
  await table("create", "--table", "late", "--partition-key", "id");
  await table("put", "late", '{"id":"1","owner":7}');
  await table("put", "late", '{"id":"2","owner":"ann"}');
  await port.updateTable({
    TableName: "late",
    AttributeDefinitions: [{ AttributeName: "owner", AttributeType: "S" }],
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName: "by-owner",
          KeySchema: [{ AttributeName: "owner", KeyType: "HASH" }],
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      },
    ],
  });
  expect(await table("wait", "late")).toMatchObject({ code: 0 });
  const { code, stdout } = await table("verify", "--json");
  expect(code).toBe(0);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { kind: "index-key", severity: "info", index: "by-owner", key: { id: { S: "1" } } },
    { summary: { tables: 1, items: 2, entries: 1, error: 0, info: 1 } },
  ]);
  await port.close();
  await server.stop();
});

test("compares a large table in rounds, and reports no item that changes between its scans", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await fill(engine);
  const { Table = {} } = await engine.describeTable({ TableName: "carts" });
  const found: TableFinding[] = [];
  let changes = 0;
  const options = {
    isExclusive: false,
    signal: new AbortController().signal,
    onFinding: async (finding: TableFinding) => void found.push(finding),
    onProgress: () => {
      // After the items are read, and before the entries are.
      changes++;
      void engine.putItem({
        TableName: "carts",
        Item: cart("cart-0", 0, { owner: { S: `owner-${changes}` }, at: { N: String(systemClock.now()) } }),
      });
    },
    itemsAtOnce: 4,
  };
  expect(await verifyTable(engine, Table, options)).toMatchObject({ items: 21, error: 0, info: 0 });
  expect(found).toEqual([]);
  expect(changes).toBeGreaterThan(12);
});
