import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEngine, readFolderAccess } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { type RunningDynamoDb, startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";

const data = tempFolder();
const outside = dirname(data);
const fixture = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));

interface Dump {
  readonly TableDescription: Record<string, unknown> & {
    readonly AttributeDefinitions: readonly { AttributeName: string; AttributeType: string }[];
  };
  readonly Items: readonly object[];
}

/** The parts that must survive: the name, the keys, and every item, in any order. DynamoDB's normal form of -0 is 0. */
function essence({ TableDescription, Items }: Dump) {
  const { TableName, KeySchema } = TableDescription;
  // DynamoDB returns them by name, in whichever order they were given.
  const AttributeDefinitions = TableDescription.AttributeDefinitions.toSorted((one, two) =>
    one.AttributeName < two.AttributeName ? -1 : 1,
  );
  const texts = Items.map((item) =>
    JSON.stringify(sorted(item)).replaceAll('{"N":"-0"}', '{"N":"0"}'),
  ).toSorted();
  return { TableName, KeySchema, AttributeDefinitions, texts };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

async function tables(verb: string, ...argv: string[]) {
  const create = ["create", "import"].includes(verb) ? ["--create"] : [];
  return runMain(["table", verb, ...argv, ...create]);
}

/** Every kind of value, and indexes of both kinds; the items precede the description. */
const everything: Dump = {
  Items: [
    {
      customer: { S: 'ü-🙂-\u0000"\\' },
      at: { N: "-12345678901234567890123456789012345678" },
      day: { S: "2026-01-31" },
      bytes: { B: "AP/+" },
      none: { B: "" },
      yes: { BOOL: true },
      nothing: { NULL: true },
      texts: { SS: ["a", "b"] },
      numbers: { NS: ["1", "2.5"] },
      blobs: { BS: ["AA==", "AQ=="] },
      list: { L: [{ S: "" }, { L: [] }, { M: {} }] },
      map: { M: { __proto__x: { S: "x" }, ["__proto__"]: { N: "1" } } },
    },
    { customer: { S: "a" }, at: { N: "0" } },
  ],
  TableDescription: {
    TableName: "orders",
    KeySchema: [
      { AttributeName: "customer", KeyType: "HASH" },
      { AttributeName: "at", KeyType: "RANGE" },
    ],
    AttributeDefinitions: [
      { AttributeName: "customer", AttributeType: "S" },
      { AttributeName: "at", AttributeType: "N" },
      { AttributeName: "day", AttributeType: "S" },
    ],
    BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    GlobalSecondaryIndexes: [
      {
        IndexName: "byDay",
        KeySchema: [{ AttributeName: "day", KeyType: "HASH" }],
        Projection: { ProjectionType: "KEYS_ONLY" },
        IndexStatus: "ACTIVE",
        ItemCount: 1,
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: "byDayWithin",
        KeySchema: [
          { AttributeName: "customer", KeyType: "HASH" },
          { AttributeName: "day", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
    TableStatus: "ACTIVE",
  },
};
const everythingFile = join(outside, "everything.json");
beforeAll(() => writeFileSync(everythingFile, JSON.stringify(everything)));

describe("load, then dump", () => {
  test.each([
    ["device shadows", fixture("device-shadows.json")],
    ["snapshots", fixture("snapshots.json")],
    ["every kind of value", everythingFile],
  ])("restores the same table: %s", async (_name, file) => {
    const before: Dump = read(file);
    const name = String(before.TableDescription["TableName"]);
    const loaded = await tables("import", file, "--data", data, "--json");
    expect({ ...loaded, stdout: JSON.parse(loaded.stdout) }).toEqual({
      code: 0,
      stderr: "",
      stdout: { table: name, items: before.Items.length, created: true, complete: true, notes: [] },
    });
    const output = join(outside, `${name}.json`);
    const dumped = await tables("export", name, "--data", data, "--output", output);
    expect(dumped).toEqual({
      code: 0,
      stderr: "",
      stdout: `Wrote ${before.Items.length} items of ${name} to ${output}.\n`,
    });
    expect(essence(read(output))).toEqual(essence(before));
    const printed = await tables("export", name, "--data", data);
    expect(printed.stdout).toBe(readFileSync(output, "utf8"));
    expect(readdirSync(outside).filter((each) => each.includes(`${name}.json.`))).toEqual([]);
  });

  test("keeps indexes and the stream", async () => {
    const { stdout } = await tables("get", "orders", "--data", data, "--json");
    const { GlobalSecondaryIndexes, LocalSecondaryIndexes, StreamSpecification } = JSON.parse(stdout);
    expect(GlobalSecondaryIndexes).toMatchObject([
      { IndexName: "byDay", Projection: { ProjectionType: "KEYS_ONLY" } },
    ]);
    expect(LocalSecondaryIndexes).toMatchObject([{ IndexName: "byDayWithin" }]);
    expect(StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: "NEW_IMAGE" });
  });

  test("again changes nothing and reports that the table exists", async () => {
    const again = await tables("import", everythingFile, "--data", data, "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ items: 2, created: false });
    const { stdout } = await tables("get", "orders", "--data", data, "--json");
    expect(JSON.parse(stdout).ItemCount).toBe(2);
  });

  test("of a table with no items is an empty list", async () => {
    await tables("create", "--table", "empty", "--partition-key", "id", "--data", data);
    const { stdout } = await tables("export", "empty", "--data", data);
    expect(JSON.parse(stdout)).toMatchObject({ TableDescription: { TableName: "empty" }, Items: [] });
  });

  test("under another name", async () => {
    const { stdout } = await tables("import", fixture("snapshots.json"), "--table", "copy", "--data", data);
    expect(stdout).toMatch(/^Imported \d+ items into copy/);
  });
});

describe("load refuses", () => {
  test("a table with other keys, and does not change it", async () => {
    const rejected = await tables("import", everythingFile, "--table", "empty", "--data", data);
    expect(rejected).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^error: .*id \(HASH S\).*\[CLIENT_TABLE_MISMATCH\]\n$/),
    });
  });

  test.each([
    ["no JSON", "not json", 2, /at byte 0 \[CLI_DUMP_INVALID\]$/],
    ["nothing", "", 2, /at byte 0 \[CLI_DUMP_INVALID\]$/],
    ["another document", "{}", 2, /TableDescription \[CLI_DUMP_INVALID\]$/],
    ["a list", "[]", 2, /\[CLI_DUMP_INVALID\]$/],
    ["a description that is none", '{"TableDescription":{},"Items":[]}', 2, /\[CLI_DUMP_INVALID\]$/],
    ["items that are not a list", '{"Items":{},"TableDescription":{}}', 2, /at byte 9 \[CLI_DUMP_INVALID\]$/],
    ["something behind a dump", `${JSON.stringify(everything)} {}`, 2, /\[CLI_DUMP_INVALID\]$/],
    ["two descriptions", '{"TableDescription":1,"TableDescription":2}', 2, /\[CLI_DUMP_INVALID\]$/],
  ])("%s", async (_name, content, code, words) => {
    const file = join(outside, "broken.json");
    writeFileSync(file, content);
    const rejected = await tables("import", file, "--data", data);
    expect(rejected.code).toBe(code);
    expect(rejected.stderr.trimEnd()).toMatch(words);
  });

  test.each([
    ["cut short", (text: string) => text.slice(0, -20), /\[CLI_DUMP_INVALID\]/],
    [
      "with an item that is none",
      (text: string) => text.replace('{"customer":{"S":"a"},', "[],{"),
      /item 2.*must be an object/,
    ],
    [
      "with a value of no type",
      (text: string) => text.replace('{"S":"a"}', '{"X":"a"}'),
      /item 2.*customer has the unknown type X/,
    ],
    [
      "with two types",
      (text: string) => text.replace('{"S":"a"}', '{"S":"a","N":"1"}'),
      /item 2.*one member/,
    ],
    [
      "with bytes that are none",
      (text: string) => text.replace('"AP/+"', '"AP%"'),
      /item 1.*bytes must be base64/,
    ],
  ])("a dump %s, and reports how far it got", async (_name, change, words) => {
    const described = { TableDescription: everything.TableDescription, Items: everything.Items };
    const file = join(outside, "changed.json");
    writeFileSync(file, change(JSON.stringify(described)));
    const rejected = await tables("import", file, "--data", data);
    expect(rejected.code).toBe(2);
    expect(rejected.stdout).toMatch(/^Stopped after importing \d+ items? into orders\. /);
    expect(rejected.stderr).toMatch(words);
  });

  test("a missing file", async () => {
    const missing = await tables("import", join(outside, "none.json"), "--data", data);
    expect([missing.code, missing.stderr]).toEqual([
      3,
      expect.stringMatching(/it does not exist \(ENOENT\) \[CLI_FILE_UNREADABLE\]\n$/),
    ]);
  });

  test("an item that DynamoDB refuses", async () => {
    const file = join(outside, "rejected.json");
    const Items = [{ customer: { S: "" }, at: { N: "1" } }];
    writeFileSync(file, JSON.stringify({ ...everything, Items }));
    const rejected = await tables("import", file, "--data", data);
    expect(rejected.code).not.toBe(0);
    expect(rejected.stdout).toContain("Stopped after importing 0 items");
  });
});

describe("dump refuses", () => {
  test("a missing table, and leaves no file behind", async () => {
    const output = join(outside, "nothing.json");
    const rejected = await tables("export", "none-such", "--data", data, "--output", output);
    expect([rejected.code, rejected.stdout]).toEqual([3, ""]);
    expect(existsSync(output)).toBe(false);
  });

  test("a path that cannot be written", async () => {
    const output = join(outside, "no-folder", "x.json");
    const rejected = await tables("export", "orders", "--data", data, "--output", output);
    expect([rejected.code, rejected.stderr]).toEqual([
      7,
      expect.stringMatching(/its folder does not exist \(ENOENT\) \[CLI_OUTPUT_FAILED\]\n$/),
    ]);
  });

  test("a missing folder, without creating it", async () => {
    const path = join(outside, "typo");
    const rejected = await tables("list", "--data", path);
    expect([rejected.code, rejected.stderr]).toEqual([
      3,
      expect.stringContaining("[CLI_DATA_FOLDER_MISSING]"),
    ]);
    expect(existsSync(path)).toBe(false);
  });

  test("an empty folder name, which would mean the working directory", async () => {
    const rejected = await tables("list", "--data", "");
    expect([rejected.code, rejected.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: --data .*\[CLI_VALUE_INVALID\]\n$/),
    ]);
  });
});

describe("create", () => {
  test("creates a table with indexes from options, once", async () => {
    const words = [
      "create --table shop --partition-key customer --sort-key at:N --global-index byDay=day,at:N",
      "--global-index byBytes=blob:B --local-index byPrice=price:N --stream KEYS_ONLY",
    ];
    const argv = ["table", ...words.join(" ").split(" "), "--data", data, "--create"];
    expect(await runMain(argv)).toEqual({ code: 0, stdout: "Created shop.\n", stderr: "" });
    expect(await runMain(argv)).toEqual({ code: 0, stdout: "shop already exists.\n", stderr: "" });
    const { stdout } = await tables("get", "shop", "--data", data);
    expect(JSON.parse(stdout)).toMatchObject({
      TableStatus: "ACTIVE",
      GlobalSecondaryIndexes: [{ IndexName: "byDay" }, { IndexName: "byBytes" }],
      LocalSecondaryIndexes: [{ IndexName: "byPrice" }],
      StreamSpecification: { StreamViewType: "KEYS_ONLY" },
    });
    const other = await runMain(argv.map((word) => (word === "byDay=day,at:N" ? "byDay=day" : word)));
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: .*day \(HASH S\), at \(RANGE N\), .*\[CLIENT_TABLE_MISMATCH\]\n$/),
    ]);
  });

  test("reads a request, a description or a dump from a file", async () => {
    const files = {
      "of-request": { ...JSON.parse(JSON.stringify(everything.TableDescription)), TableStatus: undefined },
      "of-description": { Table: everything.TableDescription },
      "of-dump": everything,
    };
    const {
      IndexStatus: _status,
      ItemCount: _count,
      ...index
    } = (files["of-request"].GlobalSecondaryIndexes as Record<string, unknown>[])[0] as Record<
      string,
      unknown
    >;
    files["of-request"].GlobalSecondaryIndexes = [index];
    files["of-request"].BillingModeSummary = undefined;
    files["of-request"].BillingMode = "PAY_PER_REQUEST";
    for (const [name, content] of Object.entries(files)) {
      const file = join(outside, `${name}.json`);
      writeFileSync(file, JSON.stringify(content));
      expect(await tables("create", file, "--table", name, "--data", data)).toMatchObject({
        stderr: "",
        stdout: `Created ${name}.\n`,
      });
    }
  });

  test.each([
    [["create"], "[CLI_OPTION_MISSING]"],
    [["create", "--table", "x"], "[CLI_OPTION_MISSING]"],
    [["create", everythingFile, "--partition-key", "id"], "[CLI_OPTION_CONFLICT]"],
    [["create", "--table", "abc", "--partition-key", "id:X"], "[CLI_VALUE_INVALID]"],
    [["create", "--table", "abc", "--partition-key", "id", "--global-index", "x"], "[CLI_VALUE_INVALID]"],
    [["create", "--table", "a b", "--partition-key", "id"], "[CLIENT_OPTION_INVALID]"],
    [["list", "--endpoint", "http://127.0.0.1:1"], "[CLI_OPTION_CONFLICT]"],
    [["list", "--secret-access-key", "x"], "[CLI_OPTION_MISSING]"],
  ])("%j is rejected in one line", async (argv, words) => {
    const rejected = await runMain(["table", ...argv, "--data", data]);
    expect([rejected.code, rejected.stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

describe("a folder that another process has open", () => {
  let server: RunningDynamoDb;
  beforeAll(async () => {
    server = await startDynamoDb({ dataFolder: data, port: 0, accessKeys: { AKID: "secret" } });
  });
  afterAll(() => server.stop());

  test("is reached through it, by a key that only its user can read", async () => {
    const env = {};
    const listed = await runMain(["table", "list", "--data", data], env);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining("orders\n") });
    const output = join(outside, "through.json");
    await runMain(["table", "export", "orders", "--data", data, "--output", output], env);
    expect(essence(read(output))).toEqual(essence(everything));
    const argv = ["table", "import", output, "--table", "orders-again", "--data", data, "--json"];
    const loaded = await runMain(argv, env);
    expect(JSON.parse(loaded.stdout)).toMatchObject({ items: 2, created: true });
  });

  test("rejects other keys, at both of its endpoints", async () => {
    const { endpoint = "", ...keys } = readFolderAccess(data) ?? {};
    expect(statSync(join(data, "owner.json")).mode & 0o077).toBe(0);
    for (const url of [endpoint, server.endpoint])
      expect(await tables("list", "--endpoint", url)).toMatchObject({
        code: 8,
        stderr: expect.stringContaining("[DYNAMO_UNRECOGNIZED_CLIENT]"),
      });
    const locked = await runMain(["dynamodb", "--data", data, "--port", "0", "--json"]);
    expect(locked.stderr).toContain("ENGINE_FOLDER_LOCKED");
    for (const key of Object.values(keys)) expect(locked.stderr + locked.stdout).not.toContain(key);
    expect(Object.values(keys)).toHaveLength(2);
  });

  test("can be named by its endpoint, too", async () => {
    const pair = ["--access-key-id", "AKID", "--secret-access-key", "secret"];
    const listed = await tables("list", "--endpoint", server.endpoint, "--json", ...pair);
    expect(JSON.parse(listed.stdout).tables).toContain("orders");
  });
});

test("a folder that is open but not served is rejected, with its owner", async () => {
  const path = join(outside, "owned");
  await using _owner = await openEngine({ storage: { kind: "folder", path } });
  const rejected = await tables("list", "--data", path);
  expect([rejected.code, rejected.stderr]).toEqual([4, expect.stringContaining(`process ${process.pid}`)]);
});
