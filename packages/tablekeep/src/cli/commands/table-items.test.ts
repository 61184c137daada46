import { ensureTable, httpPort } from "@tablekeep/client";
import { projectionTableSpec } from "@tablekeep/feed/projections";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { type RunningDynamoDb, startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";

let server: RunningDynamoDb;
const table = (verb: string, ...rest: string[]) =>
  runMain(["table", verb, ...rest, "--endpoint", server.endpoint]);

beforeAll(async () => {
  server = await startDynamoDb({ port: 0 });
  await table("create", "--table", "fruit", "--partition-key", "id", "--sort-key", "n:N");
  await table("create", "--table", "bytes", "--partition-key", "id:B");
});
afterAll(() => server.stop());

describe("tablekeep table put", () => {
  test("stores plain JSON with all digits, and DynamoDB's JSON", async () => {
    const plain =
      '{"id":"pear","n":12345678901234567890.5,"ok":true,"no":null,"l":[1,{"S":"x"}],"m":{"a":"b"}}';
    const stored = await table("put", "fruit", plain);
    expect(stored).toMatchObject({ code: 0, stderr: "" });
    expect(stored.stdout).toBe('Stored {"id":{"S":"pear"},"n":{"N":"12345678901234567890.5"}} in fruit.\n');
    const key = '{"id":"pear","n":12345678901234567890.5}';
    expect(JSON.parse((await table("get", "fruit", key)).stdout)).toEqual({
      id: { S: "pear" },
      n: { N: "12345678901234567890.5" },
      ok: { BOOL: true },
      no: { NULL: true },
      l: { L: [{ N: "1" }, { M: { S: { S: "x" } } }] },
      m: { M: { a: { S: "b" } } },
    });
    const typed = { id: { S: "fig" }, n: { N: "1" }, sizes: { NS: ["1", "2"] }, raw: { B: "AP8=" } };
    await table("put", "fruit", JSON.stringify(typed));
    expect(JSON.parse((await table("get", "fruit", '{"id":"fig","n":1}')).stdout)).toEqual(typed);
    expect(await table("put", "bytes", '{"id":{"B":"AP8="}}')).toMatchObject({ code: 0 });
  });

  test("reads the item from stdin", async () => {
    const argv = ["table", "put", "fruit", "-", "--endpoint", server.endpoint, "--json"];
    const { stdout } = await startMain(argv, {}, undefined, '{"id":"stdin","n":1}').result;
    expect(JSON.parse(stdout)).toEqual({ table: "fruit", key: { id: { S: "stdin" }, n: { N: "1" } } });
  });

  test("with --if-absent replaces nothing", async () => {
    expect(await table("put", "fruit", '{"id":"once","n":1,"a":1}', "--if-absent")).toMatchObject({
      code: 0,
    });
    expect(await table("put", "fruit", '{"id":"once","n":1,"a":2}', "--if-absent")).toMatchObject({
      code: 4,
      stdout: "",
      stderr: expect.stringMatching(/^error: fruit already has .*\[CLI_ITEM_EXISTS\]\n$/),
    });
    expect((await table("get", "fruit", '{"id":"once","n":1}')).stdout).toContain('"a":{"N":"1"}');
    // The sort key is part of the key.
    expect(await table("put", "fruit", '{"id":"once","n":2}', "--if-absent")).toMatchObject({ code: 0 });
  });

  test.each([
    ["fruit", "{id:1}", /single quotes/],
    ["fruit", "[1]", /must be an object/],
    ["fruit", '{"n":1}', /key attribute id of table fruit is missing/],
    ["fruit", '{"id":"a","n":"1"}', /key attribute n of table fruit must be a number/],
    ["fruit", '{"id":{"S":"a"},"n":1}', /attribute n must be in DynamoDB's JSON/],
    ["bytes", '{"id":"AP8="}', /must be bytes/],
  ])("rejects %s %s", async (name, item, message) => {
    expect(await table("put", name, item)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });

  test("rejects tables of stores, and tables that do not exist", async () => {
    await table("create", "--table", "mail", "--partition-key", "id");
    for (const verb of ["put", "delete"])
      expect(await table(verb, "mail", '{"id":"1"}')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/mail belongs to a store.*\[CLI_VALUE_INVALID\]/),
      });
    expect(await table("put", "none", '{"id":"1"}')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("CLI_TABLE_MISSING"),
    });
  });
});

test("rejects tables of stores that no setting names, as the console does", async () => {
  await using port = httpPort({
    endpoint: server.endpoint,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  await ensureTable(port, journalTableSpec({ table: "orders" }));
  const journal = await openJournal(port, { table: "orders" });
  await (await journal.recover("order-1")).append({ payload: { placed: true } });
  await ensureTable(port, projectionTableSpec("views"));
  const { Table: { KeySchema = [] } = {} } = await port.describeTable({ TableName: "orders" });
  const { Items: [item] = [] } = await port.scan({ TableName: "orders" });
  const key = Object.fromEntries(
    KeySchema.map(({ AttributeName = "" }) => [AttributeName, item?.[AttributeName]]),
  );
  for (const verb of ["put", "delete"])
    expect(
      await table(verb, "orders", JSON.stringify(key), ...(verb === "put" ? [] : ["--yes"])),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/orders holds a journal.*\[CLI_VALUE_INVALID\]/),
    });
  expect((await port.scan({ TableName: "orders" })).Items).toContainEqual(item);
  const { name, partitionKey, sortKey } = projectionTableSpec("views");
  const view = JSON.stringify({ [partitionKey.name]: "a", ...(sortKey && { [sortKey.name]: "b" }) });
  expect(await table("put", name, view)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/views holds projections/),
  });
});

test("tablekeep table delete asks for confirmation and deletes one item", async () => {
  await table("put", "fruit", '{"id":"gone","n":1,"a":1}');
  const asked: string[] = [];
  const no = async (question: string) => {
    asked.push(question);
    return false;
  };
  const argv = ["table", "delete", "fruit", '{"id":"gone","n":1}', "--endpoint", server.endpoint];
  expect(await startMain(argv, {}, no).result).toMatchObject({ code: 2 });
  expect(asked).toEqual([expect.stringContaining('"gone"')]);
  expect(await runMain([...argv, "--yes"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Deleted .*"gone".* from fruit/),
  });
  expect(await runMain([...argv, "--yes"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("CLI_NO_ITEM"),
  });
  expect(await table("get", "fruit", '{"id":"gone","n":1}')).toMatchObject({ code: 3 });
});

test("tablekeep table list prints the items of a table", async () => {
  for (let n = 1; n <= 4; n++) await table("put", "fruit", JSON.stringify({ id: "many", n }));
  const numbers = async (...rest: string[]) =>
    (await table("list", "fruit", ...rest)).stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { n: { N: string } }).n.N);
  expect(await numbers("--partition", "many")).toEqual(["1", "2", "3", "4"]);
  expect(await numbers("--partition", "many", "--limit", "3")).toEqual(["1", "2", "3"]);
  expect(await numbers("--limit", "5")).toHaveLength(5);
  expect(await table("list", "--partition", "many")).toMatchObject({ code: 2 });
});

test("tablekeep table watch prints changes from now on", async () => {
  await table("create", "--table", "live", "--partition-key", "id");
  const place = ["--endpoint", server.endpoint];
  expect(await runMain(["table", "watch", "live", ...place])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--stream.*\[CLI_OPTION_MISSING\]\n$/),
  });
  const watching = startMain([
    ...["table", "watch", "live", "--stream", "NEW_AND_OLD_IMAGES", "--from", "start", "--json"],
    ...place,
  ]);
  const streamOf = async () =>
    (JSON.parse((await table("get", "live")).stdout) as { LatestStreamArn?: string }).LatestStreamArn;
  await expect.poll(streamOf).toBeDefined();
  await table("put", "live", '{"id":"1","a":1}');
  await table("put", "live", '{"id":"1","a":2}');
  await table("delete", "live", '{"id":"1"}', "--yes");
  await expect.poll(watching.stdout).toContain("remove");
  watching.interrupt();
  const { code, stdout } = await watching.result;
  expect(code).toBe(0);
  const changes = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(changes).toMatchObject([
    { kind: "insert", key: { id: { S: "1" } }, item: { a: { N: "1" } } },
    { kind: "modify", item: { a: { N: "2" } }, before: { a: { N: "1" } } },
    { kind: "remove", before: { a: { N: "2" } } },
  ]);
});

describe("tablekeep table wait", () => {
  const wait = (...rest: string[]) =>
    startMain(["table", "wait", ...rest, "--endpoint", server.endpoint, "--interval", "0.05"]);

  test("waits until a table is active, and until it has an item", async () => {
    expect(await wait("fruit").result).toMatchObject({ code: 0, stdout: "fruit is active.\n" });
    const forTable = wait("basket", "--timeout", "600");
    const forItem = wait("basket", '{"id":"1"}', "--timeout", "600", "--json");
    await table("create", "--table", "basket", "--partition-key", "id");
    expect(await forTable.result).toMatchObject({ code: 0, stdout: "basket is active.\n" });
    await table("put", "basket", '{"id":"1","n":2}');
    const { code, stdout } = await forItem.result;
    expect([code, JSON.parse(stdout)]).toEqual([0, { id: { S: "1" }, n: { N: "2" } }]);
  });

  test("exits with 3 after the timeout, and says what is missing", async () => {
    const missing = (stderr: RegExp) => ({ code: 3, stdout: "", stderr: expect.stringMatching(stderr) });
    expect(await wait("none", "--timeout", "0.1").result).toMatchObject(
      missing(/no table none within 0.1 seconds.*\[CLI_WAIT_TIMED_OUT\]/),
    );
    expect(await wait("fruit", '{"id":"none","n":1}', "--timeout", "0.1").result).toMatchObject(
      missing(/no such item in fruit within/),
    );
    expect(await wait("fruit", '{"id":"none"}').result).toMatchObject({ code: 2, stdout: "" });
  });
});
