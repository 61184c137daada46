/** Commands read settings from the same sources as `serve`, and use the stores that it serves. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { beforeAll, describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const data = tempFolder();
const file = join(dirname(data), "tablekeep.json");
const stores = {
  data: "data",
  mail: { table: "letters" },
  shadows: [
    { name: "lamps", table: "lamps", model: "separate", policy: "acknowledge" },
    { name: "others", table: "others" },
  ],
  journals: [{ name: "orders", table: "orders", layout: "linear", snapshotTable: "order-states" }],
};
const ports = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) => [`--${name}-port`, "0"]);

beforeAll(() => {
  mkdirSync(data);
  writeFileSync(file, JSON.stringify(stores));
});

describe("with the stores of a file", () => {
  const env = { TABLEKEEP_CONFIG: file };
  const run = (...argv: string[]) => runMain(argv, env);

  beforeAll(async () => {
    const server = startMain(["serve", ...ports], env);
    await new Promise<void>((resolve) => {
      const poll = setInterval(() => {
        if (!server.stdout().includes("Ctrl+C")) return;
        clearInterval(poll);
        resolve();
      }, 20);
    });
    server.interrupt();
    await server.result;
    await using port = await openEngine({ storage: { kind: "folder", path: data } });
    const journal = await openJournal(port, { table: "orders", layout: "linear" });
    await (await journal.recover("order-1")).append({ payload: "placed" });
  });

  test("mail works on the table of the file", async () => {
    expect(await run("mail", "put", "--to", "ann@example.org")).toMatchObject({ code: 0 });
    expect((await run("mail", "list")).stdout).toContain("ann@example.org");
    expect((await run("table", "export", "letters")).stdout).toContain("ann@example.org");
  });

  test("shadow works on the first store of the file, with its model and policy", async () => {
    expect(await run("shadow", "desire", "lamp", '{"on":true}')).toMatchObject({ code: 0 });
    expect((await run("table", "export", "lamps")).stdout).toContain("lamp");
    expect(await run("shadow", "desire", "lamp", '{"on":true}', "--table", "others")).toMatchObject({
      code: 0,
    });
    expect((await run("table", "export", "others")).stdout).toContain("lamp");
  });

  test("journal and snapshot work on the journal of the file", async () => {
    expect(await run("journal", "list")).toEqual({ code: 0, stdout: "order-1\n", stderr: "" });
    expect((await run("journal", "get", "order-1")).stdout).toContain("placed");
    expect(await run("snapshot", "list", "order-1")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("a flag overrides the file, and the error names the table", async () => {
    const rejected = await run("mail", "list", "--table", "nothing");
    expect(rejected).toMatchObject({ code: 3, stdout: "" });
    expect(rejected.stderr).toMatch(/^error: [^\n]*nothing[^\n]*data[^\n]*CLI_TABLE_MISSING\]\n$/);
  });
});

describe("settings that commands share with serve", () => {
  test.each([
    [{ TABLEKEEP_MEMORY: "true" }, 2, "CLI_OPTION_CONFLICT"],
    [{ TABLEKEEP_DATE: "x" }, 2, "TABLEKEEP_DATA? [CLI_VALUE_INVALID]"],
    [{ TABLEKEEP_ENDPOINT: "http://127.0.0.1:1" }, 7, "CLIENT_UNREACHABLE"],
    [{ TABLEKEEP_DATA: data, TABLEKEEP_ACCESS_KEY_ID: "x" }, 2, "[CLI_OPTION_MISSING]"],
  ])("%j", async (env, code, words) => {
    const rejected = await runMain(["table", "list"], env);
    expect(rejected).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(words) });
  });

  test("a flag overrides a variable", async () => {
    const env = { TABLEKEEP_ENDPOINT: "http://127.0.0.1:1" };
    expect(await runMain(["table", "list", "--data", data], env)).toMatchObject({ code: 0 });
  });

  test("dynamodb reads its folder, address and keys from them", async () => {
    const own = tempFolder();
    const env = { TABLEKEEP_DATA: own, TABLEKEEP_DYNAMODB_PORT: "0", TABLEKEEP_DYNAMODB_HOST: "localhost" };
    const run = startMain(["dynamodb", "--json"], env);
    await expect.poll(run.stdout).toContain("\n");
    expect(JSON.parse(run.stdout())).toMatchObject({
      dataFolder: own,
      endpoint: expect.stringMatching(/^http:\/\/localhost:\d+\/$/),
    });
    run.interrupt();
    await run.result;
    const elsewhere = await runMain(["dynamodb"], { TABLEKEEP_REGION: "eu-west-1" });
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining("CLI_OPTION_CONFLICT") });
  });
});

describe("the journal to use", () => {
  /** A folder with journals, and one event in each of `used`. */
  async function folderWith(tables: readonly string[], used: readonly string[]): Promise<string> {
    const path = tempFolder();
    await using port = await openEngine({ storage: { kind: "folder", path } });
    for (const table of tables) {
      await ensureTable(port, journalTableSpec({ table }));
      const journal = await openJournal(port, { table });
      if (used.includes(table)) await (await journal.recover(`of-${table}`)).append({ payload: 1 });
    }
    return path;
  }

  test.each([
    ["the only one", ["orders"], ["orders"], "of-orders\n"],
    ["the default one, if it has events", ["events", "orders"], ["events", "orders"], "of-events\n"],
    ["the only one with events", ["events", "orders", "old"], ["orders"], "of-orders\n"],
    ["the default one of several without events", ["events", "orders"], [], ""],
  ])("is %s", async (_what, tables, used, stdout) => {
    const path = await folderWith(tables, used);
    expect(await runMain(["journal", "list", "--data", path])).toEqual({ code: 0, stdout, stderr: "" });
  });

  test("must be named if there are several", async () => {
    const path = await folderWith(["orders", "carts"], ["orders", "carts"]);
    const rejected = await runMain(["journal", "list", "--data", path]);
    expect(rejected).toMatchObject({ code: 2, stdout: "" });
    expect(rejected.stderr).toMatch(/\(carts, orders\).*\[CLI_NO_JOURNAL\]\n$/);
  });
});
