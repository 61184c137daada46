import { describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const data = tempFolder();
const shadow = (verb: string, ...rest: string[]) =>
  runMain([
    ...["shadow", verb, "--data", data, "--json", ...rest],
    ...(["put", "desire", "report"].includes(verb) ? ["--create"] : []),
  ]);
const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe("tablekeep shadow", () => {
  test("desires, reports, gets and lists", async () => {
    const desired = await shadow("desire", "lamp", '{"on":true,"n":9007199254740993}');
    expect(desired).toMatchObject({ code: 0, stderr: "" });
    expect(desired.stdout).toContain('"n":9007199254740993');
    await shadow("report", "lamp", '{"on":false}');
    expect(lines((await shadow("get", "lamp")).stdout)).toMatchObject([
      { thing: "lamp", version: 2, state: { reported: { on: false } }, delta: { on: true } },
    ]);
    await shadow("put", "lamp", '{"desired":{"a":1},"reported":{"a":1}}', "--name", "config");
    expect(lines((await shadow("list")).stdout)).toMatchObject([
      { thing: "lamp", name: "", version: 2 },
      { thing: "lamp", name: "config", version: 1 },
    ]);
    expect(lines((await shadow("list", "other")).stdout)).toEqual([]);
  });

  test("accepts a document in AWS IoT's form", async () => {
    const { code, stdout } = await shadow(
      "put",
      "lamp",
      '{"state":{"desired":{"on":true}}}',
      "--name",
      "aws",
    );
    expect([code, lines(stdout)]).toMatchObject([0, [{ name: "aws", state: { desired: { on: true } } }]]);
    await shadow("delete", "lamp", "--name", "aws", "--yes");
  });

  test("lists the shadows that match a query", async () => {
    for (const [thing, firmware] of [
      ["old", "2.9"],
      ["new", "2.10"],
    ] as const)
      await shadow("report", thing, JSON.stringify({ firmware }));
    await shadow("report", "old", '{"big":9007199254740993}');
    const found = await shadow("list", "--query", 'reported.firmware < "2.10"');
    expect(lines(found.stdout)).toMatchObject([{ thing: "old", state: { reported: { firmware: "2.9" } } }]);
    expect(found.stdout).toContain('"big":9007199254740993');
    expect((await shadow("list", "new", "--query", 'reported.firmware < "2.10"')).stdout).toBe("");
    expect(await runMain(["shadow", "list", "--data", data, "--query", "reported.a ="])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^error: .*at character 13.* \[SHADOW_QUERY_INVALID\]\n$/),
    });
  });

  test("accepts a version, and reports a conflict by its exit code", async () => {
    expect(await shadow("desire", "v", "{}", "--if-version", "0")).toMatchObject({ code: 0 });
    expect(await shadow("desire", "v", "{}", "--if-version", "0")).toMatchObject({ code: 4, stdout: "" });
    expect(await shadow("desire", "v", "{}", "--if-version", "1")).toMatchObject({ code: 0 });
  });

  test.each(["put", "desire", "report"])(
    "%s rejects an empty name, as of an unset variable",
    async (verb) => {
      const { code, stderr } = await shadow(verb, "", '{"desired":{"on":true}}');
      expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 2, error: "CLI_VALUE_INVALID" });
    },
  );

  test("reports an error in one line", async () => {
    expect(await runMain(["shadow", "get", "none", "--data", data])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^error: .*"none".* \[CLI_NO_SHADOW\]\n$/),
    });
    expect(await shadow("desire", "lamp", "[1]")).toMatchObject({ code: 2 });
    expect(await runMain(["shadow", "desire", "lamp", "{on:true}", "--data", data])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: .*'{"on":true}'.*\[CLI_VALUE_INVALID\]\n$/),
    });
    for (const document of [
      '{"other":{}}',
      '{"state":{}}',
      '{"state":{"desired":{}},"version":1}',
      '{"state":[]}',
    ])
      expect(await shadow("put", "lamp", document)).toMatchObject({ code: 2 });
    expect(await shadow("delete", "none", "--yes")).toMatchObject({ code: 3 });
    expect(await shadow("delete", "lamp")).toMatchObject({ code: 2 });
  });

  test("deletes, and a shadow that is created again continues from that version", async () => {
    await shadow("desire", "again", '{"a":1}');
    expect(lines((await shadow("delete", "again", "--yes")).stdout)).toEqual([
      { thing: "again", name: "", version: 1 },
    ]);
    expect(lines((await shadow("desire", "again", '{"a":2}')).stdout)).toMatchObject([{ version: 2 }]);
  });

  test("limits a list", async () => {
    for (const thing of ["l1", "l2", "l3"]) await shadow("report", thing, '{"limited":1}');
    expect(lines((await shadow("list", "--limit", "2")).stdout)).toHaveLength(2);
    const found = await shadow("list", "--query", "reported.limited = 1", "--limit", "2");
    expect(lines(found.stdout)).toHaveLength(2);
  });

  test("does not wait for a state that no process can produce", async () => {
    await shadow("put", "w", '{"desired":{"on":true},"reported":{"on":true}}');
    expect(lines((await shadow("wait", "w")).stdout)).toMatchObject([{ thing: "w", version: 1 }]);
    await shadow("desire", "w", '{"on":false}');
    expect(await runMain(["shadow", "wait", "w", "--data", data])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/^error: .*version 2.*tablekeep serve.*\[CLI_WAIT_TIMED_OUT\]\n$/),
    });
    expect(await shadow("wait", "w", "--query", "reported.on ==")).toMatchObject({ code: 2 });
  });

  test("watches and waits while the folder is served", async () => {
    const ports = ["--http-port", "0", "--dynamodb-port", "0", "--smtp-port", "0", "--mqtt-port", "0"];
    const server = startMain(["serve", ...ports, "--data", data]);
    await expect.poll(server.stdout).toContain("Ctrl+C");
    const watching = startMain(["shadow", "watch", "live", "--data", data, "--interval", "0.05"]);
    await shadow("desire", "live", '{"n":1}');
    await expect.poll(watching.stdout).toContain('"version":1');
    await shadow("desire", "live", '{"n":2}');
    await expect.poll(watching.stdout).toContain('"version":2');
    watching.interrupt();
    expect((await watching.result).code).toBe(0);
    const waitFor = (...rest: string[]) =>
      startMain(["shadow", "wait", "live", "--data", data, "--interval", "0.05", ...rest]);
    const inSync = waitFor();
    const other = waitFor("--name", "config", "--query", "reported.n = 1");
    await shadow("report", "live", '{"n":1}', "--name", "config");
    expect(lines((await other.result).stdout)).toMatchObject([{ name: "config", version: 1 }]);
    await shadow("report", "live", '{"n":2}');
    expect(lines((await inSync.result).stdout)).toMatchObject([{ name: "", version: 3 }]);
    const never = waitFor("--query", "reported.n = 9", "--timeout", "0.1");
    expect(await never.result).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/version 3.*within 0\.1 seconds \[CLI_WAIT_TIMED_OUT\]\n$/),
    });
    const stopped = waitFor("--query", "reported.n = 9");
    stopped.interrupt();
    expect((await stopped.result).code).toBe(130);
    server.interrupt();
    await server.result;
  });
});
