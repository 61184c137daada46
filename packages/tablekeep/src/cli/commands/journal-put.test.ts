import { connect } from "@tablekeep/client";
import { openJournal, unwrap } from "@tablekeep/journal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { type RunningDynamoDb, startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";

let server: RunningDynamoDb;
const journal = (...argv: string[]) => runMain(["journal", ...argv, "--endpoint", server.endpoint, "--json"]);

beforeAll(async () => {
  server = await startDynamoDb({ port: 0 });
});
afterAll(() => server.stop());

const parsed = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);

test("appends events with tags, in order, if the id is as expected", async () => {
  expect(await journal("put", "cart-1", "1")).toMatchObject({ code: 3 });
  const first = await journal("put", "cart-1", '{"added":"apple"}', "--create", "--if-version", "0");
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(parsed(first.stdout)).toEqual([{ table: "events", persistenceId: "cart-1", sequenceNr: 1 }]);
  await journal("put", "cart-1", "[1,null]", "--tag", "paid", "--tag", "late");
  expect(parsed((await journal("get", "cart-1")).stdout)).toMatchObject([
    { sequenceNr: 1, payload: { added: "apple" }, tags: [] },
    { sequenceNr: 2, payload: [1, null], tags: ["late", "paid"] },
  ]);
  expect(await journal("put", "cart-1", "3", "--if-version", "1")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("JOURNAL_CONFLICT"),
  });
  const argv = ["journal", "put", "cart-1", "-", "--endpoint", server.endpoint];
  expect((await startMain(argv, {}, undefined, '"from stdin"').result).stdout).toBe(
    "Stored event 3 of cart-1.\n",
  );
});

test("rejects what is not JSON, and numbers that would be rounded", async () => {
  for (const payload of ["{a:1}", '{"n":[12345678901234567890]}', "0.12345678901234567890123"])
    expect(await journal("put", "cart-2", payload, "--create")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("CLI_VALUE_INVALID"),
    });
  expect(parsed((await journal("list", "--limit", "1")).stdout)).toMatchObject([{ persistenceId: "cart-1" }]);
});

test.each([
  [["--partition-key", "id", "--sort-key", "n:N"], "linear"],
  [["--partition-key", "key"], "scattered"],
])(
  "adds nothing to a table with keys %j that may hold anything, unless the layout is named",
  async (keys, layout) => {
    const table = `carts-${layout}`;
    const place = ["--endpoint", server.endpoint];
    await runMain(["table", "create", "--table", table, ...keys, ...place]);
    await journal("put", "cart-1", "1", "--create");
    const rejected = { code: 2, stdout: "", stderr: expect.stringMatching(`CLI_NO_JOURNAL.*${layout}`) };
    expect(await journal("put", "cart-1", "1", "--table", table)).toMatchObject(rejected);
    expect(await journal("migrate", "cart-1", "--to-table", table)).toMatchObject(rejected);
    for (const change of [
      ["delete", "cart-1", "--to", "1", "--yes"],
      ["purge", "cart-1", "--yes"],
      ["repair", "--apply", "--yes"],
      ["expire"],
      ["compact"],
    ])
      expect(await journal(...change, "--table", table)).toMatchObject(rejected);
    expect((await runMain(["table", "list", table, ...place])).stdout).toBe("");
    expect((await journal("put", "cart-1", "1", "--table", table, "--layout", layout)).code).toBe(0);
    // From now on the journal's own record is there.
    expect((await journal("put", "cart-1", "2", "--table", table)).code).toBe(0);
  },
);

test.each([
  ["list"],
  ["get", "ann"],
  ["stats"],
  ["export"],
  ["verify"],
  ["wait", "ann"],
  ["list", "--source", "rows"],
])("does not take the items of an application for events: %s %s", async (...command) => {
  const table = `orders-${command.join("-").replaceAll(/[^a-z-]/g, "")}`;
  const place = ["--endpoint", server.endpoint];
  const keys = ["--partition-key", "customer", "--sort-key", "placed:N"];
  await runMain(["table", "create", "--table", table, ...keys, ...place]);
  expect(await journal("list", "--table", table)).toMatchObject({ code: 0, stdout: "" });
  await runMain(["table", "put", table, '{"customer":"ann","placed":1}', ...place]);
  expect(await journal(...command, "--table", table)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("CLI_NO_JOURNAL"),
  });
});

test("waits for an event, as long as it may", async () => {
  expect(parsed((await journal("wait", "cart-1")).stdout)).toMatchObject([{ sequenceNr: 1 }]);
  const place = ["--endpoint", server.endpoint, "--interval", "0.05"];
  const waiting = startMain(["journal", "wait", "new", "--from", "2", ...place]);
  await journal("put", "new", '"one"');
  await journal("put", "new", '"two"');
  expect((await waiting.result).stdout).toContain('"two"');
  expect(await journal("wait", "new", "--from", "3", "--timeout", "0.1")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("CLI_WAIT_TIMED_OUT"),
  });
});

test("bounds divide events that were appended together", async () => {
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  await using port = connect({ endpoint: server.endpoint, credentials, region: "eu-west-1" });
  const opened = await openJournal(port);
  unwrap(await opened.append("together", [{ payload: 1 }, { payload: 2 }, { payload: 3 }]));
  const numbers = async (...argv: string[]) => {
    const { code, stdout } = await journal(...argv);
    return [code, ...parsed(stdout).map((event) => (event as { sequenceNr: number }).sequenceNr)];
  };
  expect(await numbers("get", "together", "--to", "2")).toEqual([0, 1, 2]);
  expect(await numbers("get", "together", "--limit", "1")).toEqual([0, 1]);
  expect(await numbers("get", "together", "--from", "2", "--limit", "1")).toEqual([0, 2]);
  expect(await numbers("get", "together", "--from", "-1")).toEqual([0, 3]);
  expect(await numbers("wait", "together")).toEqual([0, 1]);
  expect(await numbers("wait", "together", "--from", "2", "--timeout", "5")).toEqual([0, 2]);
});

test("does not wait in a folder that no process serves", async () => {
  const data = ["--data", tempFolder()];
  await runMain(["journal", "put", "cart-1", "1", "--create", ...data]);
  expect(await runMain(["journal", "wait", "cart-1", "--from", "2", ...data])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/tablekeep serve.*\[CLI_WAIT_TIMED_OUT\]\n$/),
  });
});
