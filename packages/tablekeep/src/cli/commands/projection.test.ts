import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { openFeed } from "@tablekeep/feed";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { beforeAll, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { storeProjection } from "../../../test/stored-projection.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const folder = tempFolder();
const run = (...argv: string[]) => runMain(["projection", ...argv, "--data", folder]);
const parsed = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  await using engine = await openEngine({ storage: { kind: "folder", path: folder } });
  await ensureTable(engine, journalTableSpec());
  const writer = await (await openJournal(engine)).recover("cart-20");
  await writer.appendEach([{ payload: 1 }, { payload: 2 }]);
  await (await openFeed(engine)).catchUp();
  await storeProjection(engine, {
    name: "balances",
    versions: [1, 2],
    parked: [
      [3, "cart-7", "no such account"],
      [5, "cart-8", "limit \u001b[31mexceeded"],
    ],
    stoppedBy: ["cart-9", "handler failed"],
  });
});

test("a wait ends at once if the projection cannot catch up", async () => {
  expect(await run("wait", "balances")).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(
      /2 events behind .*it is stopped.*projection get balances.*\[CLI_WAIT_TIMED_OUT\]\n$/,
    ),
  });
  expect(await run("wait", "balances", "--projection-version", "2")).toMatchObject({ code: 3 });
  expect(await run("wait", "unknown")).toMatchObject({ code: 3 });
});

test("verify compares positions and parked events with the feed", async () => {
  const { code, stdout, stderr } = await run("verify", "--json");
  expect([code, stderr]).toEqual([9, expect.stringContaining("CLI_PROJECTIONS_DAMAGED")]);
  const lines = parsed(stdout);
  expect(lines.at(-1)).toEqual({
    summary: { projections: 1, versions: 2, slices: 32, parked: 4, error: 4, warning: 2, info: 2 },
  });
  const ofCurrent = lines.filter(({ version }) => version === 1);
  expect(ofCurrent).toMatchObject([
    { kind: "stopped", severity: "warning", name: "balances", slice: 0 },
    { kind: "parked-unknown", severity: "error", slice: 0, offset: 3 },
    { kind: "parked-unknown", severity: "error", slice: 0, offset: 5 },
    { kind: "parked", severity: "info" },
  ]);
  const text = (await run("verify", "balances", "--projection-version", "2")).stdout;
  expect(text).toMatch(/^warning stopped +balances 2, slice 0:0: [\s\S]*\nRead 1 projection: 2 errors, /);
  expect(await run("verify", "unknown")).toMatchObject({ code: 3 });
  expect(await run("verify", "--projection-version", "2")).toMatchObject({ code: 2 });
});

test("projections are listed and described, and control characters of errors are escaped", async () => {
  expect((await run("list")).stdout).toMatch(
    /^state +lag +parked +name and version\nstopped +2 +2 {2}balances 1 {2}\(versions 1, 2\)\n$/,
  );
  expect(parsed((await run("list", "--json")).stdout)).toMatchObject([{ name: "balances", lagEvents: 2 }]);
  const { stdout } = await run("get", "balances");
  expect(stdout).toContain("version 1 (current; versions 1, 2)");
  expect(stdout).toContain("stopped at cart-9 1: handler failed");
  expect(parsed((await run("get", "balances", "--projection-version", "2", "--json")).stdout)).toMatchObject([
    { version: 2, current: 1 },
  ]);
  const parked = (await run("parked", "balances")).stdout;
  expect(parked).toContain("0:3 ");
  expect(parked).toContain("limit \\u001b[31mexceeded");
  expect(parsed((await run("parked", "balances", "--id", "cart-8", "--json")).stdout)).toMatchObject([
    { persistenceId: "cart-8", offset: 5 },
  ]);
});

test.each([
  ["drop", "balances", "--all"],
  ["skip", "balances", "--slice", "0"],
  ["rewind", "balances", "--to", "start"],
  ["delete", "balances"],
])("projection %s asks before it destroys anything", async (...argv) => {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error: [^\n]*\[CLI_NOT_CONFIRMED\]\n$/);
  const asked = startMain(["projection", ...argv, "--data", folder], {}, async () => false);
  expect((await asked.result).code).toBe(2);
  expect((await run("list")).stdout).toMatch(/^stopped +2 +2 {2}balances 1/m);
});

test.each([
  [["get", "other"], "PROJECTION_UNKNOWN"],
  [["pause", "balances", "--projection-version", "9"], "PROJECTION_UNKNOWN"],
  [["drop", "balances", "--yes"], "CLI_OPTION_MISSING"],
  [["drop", "balances", "--event", "x", "--yes"], "CLI_VALUE_INVALID"],
  [["rewind", "balances", "--to", "nowhere", "--yes"], "FEED_POSITION_INVALID"],
  [["rewind", "balances", "--yes"], "CLI_OPTION_MISSING"],
  [["skip", "balances", "--slice", "3", "--yes"], "PROJECTION_NOT_STOPPED"],
  [["switch", "balances", "2"], "PROJECTION_BEHIND"],
  [["delete", "balances", "--projection-version", "1", "--yes"], "PROJECTION_IN_USE"],
  [["list", "--projections-table", "none"], "CLI_TABLE_MISSING"],
])("%j fails in one line with %s", async (argv, code) => {
  const { stdout, stderr } = await run(...argv);
  expect(stdout).toBe("");
  expect(stderr).toMatch(new RegExp(`^error: [^\n]*\\[${code}\\]\n$`));
});

test("a projection is paused, resumed, rewound, repaired, switched and removed", async () => {
  const state = async () => parsed((await run("get", "balances", "--json")).stdout)[0]?.["state"];
  await run("pause", "balances");
  expect(await state()).toBe("paused");
  expect(parsed((await run("skip", "balances", "--slice", "0", "--yes", "--json")).stdout)).toMatchObject([
    { skipped: { persistenceId: "cart-9" } },
  ]);
  await run("resume", "balances");
  expect(await state()).toBe("running");
  expect((await run("retry", "balances")).stdout).toContain("2 ids");
  expect((await run("drop", "balances", "--event", "0:3", "--yes")).stdout).toContain("1 parked event");
  expect((await run("drop", "balances", "--id", "cart-8", "--yes")).stdout).toContain("1 parked event");
  expect((await run("rewind", "balances", "--to", "end", "--yes")).code).toBe(0);
  expect((await run("list")).stdout).toMatch(/^running +0 +0 {2}balances 1/m);
  expect(await run("wait", "balances")).toMatchObject({ code: 0, stdout: "balances 1 has caught up.\n" });
  expect((await run("switch", "balances", "2", "--force")).code).toBe(0);
  expect((await run("delete", "balances", "--projection-version", "1", "--yes")).code).toBe(0);
  expect((await run("delete", "balances", "--yes")).code).toBe(0);
  expect((await run("list")).stdout).toMatch(/^No projections yet: /);
  expect((await run("list", "--json")).stdout).toBe("");
});

test("the progress of a projection is watched through a server", async () => {
  const other = tempFolder();
  {
    await using engine = await openEngine({ storage: { kind: "folder", path: other } });
    await ensureTable(engine, journalTableSpec());
    await (await openFeed(engine)).catchUp();
    await storeProjection(engine, { name: "balances", versions: [1] });
  }
  const at = ["--data", other, "--interval", "0.05", "--json"];
  expect(await runMain(["projection", "watch", "balances", ...at])).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringContaining("CLI_NOT_SERVED"),
  });
  expect(await runMain(["projection", "watch", "unknown", ...at])).toMatchObject({ code: 3 });
  const server = startMain(["dynamodb", "--data", other, "--port", "0"]);
  await expect.poll(server.stdout).toContain("Ctrl+C");
  const watching = startMain(["projection", "watch", "balances", ...at]);
  const states = () => parsed(watching.stdout()).map(({ state }) => state);
  await expect.poll(states).toEqual(["running"]);
  await runMain(["projection", "pause", "balances", "--data", other]);
  await expect.poll(states).toEqual(["running", "paused"]);
  watching.interrupt();
  expect(await watching.result).toMatchObject({ code: 0, stderr: "" });
  server.interrupt();
  await server.result;
});

test("a missing table means that there are no projections, not a failure", async () => {
  const other = tempFolder();
  await using engine = await openEngine({ storage: { kind: "folder", path: other } });
  await ensureTable(engine, journalTableSpec());
  await engine.close();
  const { code, stdout, stderr } = await runMain(["projection", "list", "--data", other]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^No projections yet: [^\n]*\n$/);
  const { stderr: missing } = await runMain(["projection", "get", "balances", "--data", other]);
  expect(missing).toContain("[CLI_TABLE_MISSING]");
});

test("a projection whose feed was rebuilt has not caught up", async () => {
  const other = tempFolder();
  {
    await using engine = await openEngine({ storage: { kind: "folder", path: other } });
    await ensureTable(engine, journalTableSpec());
    const feed = await openFeed(engine);
    await feed.catchUp();
    await storeProjection(engine, { name: "balances", versions: [1] });
    await feed.rebuild({ slices: 2 });
    await feed.catchUp();
  }
  const at = ["--data", other];
  expect((await runMain(["projection", "list", ...at])).stdout).toMatch(/^stopped +0 +0 {2}balances 1/m);
  expect(await runMain(["projection", "wait", "balances", ...at])).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/PROJECTION_FEED_CHANGED: .*higher version.*\[CLI_WAIT_TIMED_OUT\]\n$/),
  });
  expect((await runMain(["doctor", ...at])).stdout).toMatch(/projection balances.*PROJECTION_FEED_CHANGED/);
});
