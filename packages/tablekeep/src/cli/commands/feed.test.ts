import { ensureTable, httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { type RunningServer, startServer } from "../../server/start-server.ts";

const folder = tempFolder();
const here = ["--data", folder];
const lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const payloads = (text: string) => lines(text).map(({ payload }) => payload);

const noMail = { mail: false, shadows: false } as const;
const anyPorts = { httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };
const start = () => startServer({ dataFolder: folder, ...anyPorts, ...noMail, feed: false });

async function withPort<Result>(
  server: RunningServer,
  work: (port: DynamoPort) => Promise<Result>,
): Promise<Result> {
  const endpoint = server.listeners.find(({ name }) => name === "dynamodb")?.url ?? "";
  await using port = httpPort({ endpoint, credentials: { accessKeyId: "a", secretAccessKey: "b" } });
  return await work(port);
}

const append = (server: RunningServer, id: string, payload: string, tags: string[] = []) =>
  withPort(server, async (port) => {
    const writer = await (await openJournal(port)).recover(id);
    expect(await writer.append({ payload, tags })).toMatchObject({ kind: "ok" });
  });

beforeAll(async () => {
  await using server = await start();
  await append(server, "cart|1", "one", ["a"]);
  await append(server, "cart|1", "two");
  await append(server, "user|1", "three", ["a"]);
});

describe("a folder that no process serves", () => {
  test("has no feed before its first run, and every command reports that in one line", async () => {
    for (const verb of ["get", "list", "watch", "wait", "verify"]) {
      const { code, stdout, stderr } = await runMain(["feed", verb, ...here]);
      expect([verb, code, stdout]).toEqual([verb, 3, ""]);
      expect(stderr).toMatch(/^error: [^\n]*\[FEED_UNKNOWN\]\n$/);
    }
  });

  test("gets a feed by feed run --once, with or without --sweep", async () => {
    const first = await runMain(["feed", "run", "--once", "--sweep", ...here, "--json"]);
    expect([first.code, first.stderr, ...lines(first.stdout)]).toMatchObject([0, "", { events: 3 }]);
    const again = await runMain(["feed", "run", "--once", "--sweep", ...here, "--json"]);
    expect(lines(again.stdout)).toMatchObject([{ events: 3 }]);
  });

  test("has an event that is waited for, or cannot get it", async () => {
    const wait = (...rest: string[]) => runMain(["feed", "wait", ...here, "--json", ...rest]);
    const first = await wait("--tag", "a", "--type", "user");
    expect(payloads(first.stdout)).toEqual(["three"]);
    const late = await wait("--tag", "b", "--timeout", "600");
    expect(late).toMatchObject({ code: 3, stdout: "" });
    expect(late.stderr).toMatch(/CLI_WAIT_TIMED_OUT.*no process serves the folder/);
    expect(await wait("--timeout", "0")).toMatchObject({ code: 2 });
  });

  test("is read by type, tag, slices, place and number", async () => {
    const read = async (...flags: string[]) =>
      payloads((await runMain(["feed", "list", ...flags, ...here, "--json"])).stdout).toSorted();
    expect(await read()).toEqual(["one", "three", "two"]);
    expect(await read("--type", "cart")).toEqual(["one", "two"]);
    expect(await read("--tag", "a", "--type", "user")).toEqual(["three"]);
    expect(await read("--from", "end")).toEqual([]);
    expect(await read("--from", "2000-01-01")).toHaveLength(3);
    expect(await read("--limit", "1")).toHaveLength(1);
    expect([...(await read("--slices", "0-511")), ...(await read("--slices", "512-1023"))]).toHaveLength(3);
    const [first] = lines((await runMain(["feed", "list", "--limit", "1", ...here, "--json"])).stdout);
    expect(await read("--from", String(first?.["position"]))).toHaveLength(2);
    const { stdout } = await runMain(["feed", "list", "--type", "user", ...here]);
    expect(stdout).toMatch(/^user\|1 1 .*"three" {2}#a\n$/);
  });

  test("has a status, and is verified", async () => {
    const { stdout } = await runMain(["feed", "get", ...here, "--json"]);
    expect(lines(stdout)).toMatchObject([{ name: "all", events: 3 }]);
    expect((await runMain(["feed", "get", ...here])).stdout).toContain("3 in");
    const { code, stdout: verified } = await runMain(["feed", "verify", ...here, "--json"]);
    expect([code, ...lines(verified)]).toMatchObject([0, { summary: { ids: 2, writes: 3 } }]);
  });

  test.each([
    [["feed", "list", "--slices", "9-1"], "CLI_VALUE_INVALID"],
    [["feed", "list", "--limit", "x"], "CLI_VALUE_INVALID"],
    [["feed", "list", "--from", "nowhere"], "FEED_POSITION_INVALID"],
    [["feed", "list", "--from", "9.AAAA"], "FEED_POSITION_OUTDATED"],
    [["journal", "watch", "--from", "1"], "CLI_ARGUMENT_MISSING"],
  ])("%j fails with %s", async (argv, code) => {
    const { stderr } = await runMain([...argv, ...here]);
    expect(stderr).toMatch(new RegExp(`^error: [^\n]*\\[${code}\\]\n$`));
  });
});

describe("a folder that a server holds", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  test("is run, followed live and verified through the server", async () => {
    const running = startMain(["feed", "run", ...here]);
    const reading = startMain(["feed", "watch", "--from", "start", "--type", "live", ...here, "--json"]);
    const tailing = startMain(["feed", "watch", ...here, "--json"]);
    await append(server, "live|1", "first");
    await expect.poll(() => payloads(reading.stdout())).toEqual(["first"]);
    // Without --from it begins at the end: it prints what is appended after it has started.
    let count = 0;
    await expect
      .poll(async () => {
        await append(server, "live|2", `next ${++count}`);
        return tailing.stdout();
      })
      .toContain("next");
    for (const each of [reading, tailing, running]) each.interrupt();
    expect(await reading.result).toMatchObject({ code: 0, stderr: "" });
    expect(await tailing.result).toMatchObject({ code: 0, stderr: "" });
    expect(await running.result).toMatchObject({ code: 0, stderr: "" });
    expect((await runMain(["feed", "run", "--once", ...here])).code).toBe(0);
    expect((await runMain(["feed", "verify", ...here])).code).toBe(0);
  });

  test("an event is waited for by position", async () => {
    const wait = (...rest: string[]) => startMain(["feed", "wait", ...here, "--json", ...rest]);
    const running = startMain(["feed", "run", ...here]);
    const waiting = wait("--type", "waited", "--timeout", "600");
    await append(server, "waited|1", "first");
    const first = await waiting.result;
    expect([first.code, ...payloads(first.stdout)]).toEqual([0, "first"]);
    const position = String(lines(first.stdout)[0]?.["position"]);
    const next = wait("--type", "waited", "--from", position, "--timeout", "600");
    await append(server, "waited|1", "second");
    expect(payloads((await next.result).stdout)).toEqual(["second"]);
    running.interrupt();
    await running.result;
    expect(await wait("--type", "none", "--timeout", "0.1").result).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/CLI_WAIT_TIMED_OUT.*within 0\.1 seconds/),
    });
    const interrupted = wait("--type", "none", "--timeout", "600");
    interrupted.interrupt();
    expect(await interrupted.result).toMatchObject({ code: 130 });
  });

  test("a feed that lacks events fails its verification with exit code 9", async () => {
    await append(server, "late|1", "not in the feed");
    const { code, stdout, stderr } = await runMain(["feed", "verify", ...here, "--json"]);
    expect([code, ...lines(stdout)]).toMatchObject([
      9,
      { kind: "missing", persistenceId: "late|1", first: 1, last: 1 },
      { summary: {} },
    ]);
    expect(stderr).toContain("CLI_FEED_DAMAGED");
  });
});

test("a feed is rebuilt, with another number of slices and after a confirmation", async () => {
  expect((await runMain(["feed", "rebuild", ...here])).stderr).toContain("[CLI_NOT_CONFIRMED]");
  expect((await runMain(["feed", "rebuild", "--slices", "3", "--yes", ...here])).code).toBe(2);
  expect((await runMain(["feed", "rebuild", "--slices", "4", "--yes", ...here])).code).toBe(0);
  expect((await runMain(["feed", "run", "--once", ...here])).code).toBe(0);
  const [status] = lines((await runMain(["feed", "get", ...here, "--json"])).stdout);
  expect(status?.["generation"]).toBe(2);
  expect(status?.["slices"]).toHaveLength(4);
});

test("a journal elsewhere is read through its endpoint", async () => {
  await using server = await startServer({ memory: true, ...anyPorts, ...noMail });
  await withPort(server, async (port) => ensureTable(port, journalTableSpec()));
  await append(server, "a|1", "far");
  const endpoint = server.listeners.find(({ name }) => name === "dynamodb")?.url ?? "";
  const there = ["--endpoint", endpoint, "--json"];
  expect((await runMain(["feed", "run", "--once", ...there])).code).toBe(0);
  expect(payloads((await runMain(["feed", "list", ...there])).stdout)).toEqual(["far"]);
});

test.each([
  ["feed", "watch"],
  ["feed", "run"],
  ["journal", "watch", "cart|1"],
])("Ctrl+C while %s %s %s starts is no failure", async (...words) => {
  const run = startMain([...words, ...here]);
  run.interrupt();
  expect(await run.result).toMatchObject({ code: 0, stderr: "" });
});
