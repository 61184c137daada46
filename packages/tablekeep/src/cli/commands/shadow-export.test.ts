import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@tablekeep/client";
import { describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const files = join(tempFolder(), "..");

/** Commands on one folder. */
function commandsOn(data: string) {
  return (verb: string, ...rest: string[]) =>
    runMain([
      ...["shadow", verb, "--data", data, "--json", ...rest],
      ...(["put", "import"].includes(verb) ? ["--create"] : []),
    ]);
}

async function filled(): Promise<ReturnType<typeof commandsOn>> {
  const shadow = commandsOn(tempFolder());
  await shadow("put", "lamp", '{"desired":{"on":true,"n":9007199254740993}}');
  await shadow("put", "lamp", '{"reported":{"on":false}}');
  await shadow("put", "lamp", '{"desired":{"a":[1,2]}}', "--name", "config");
  await shadow("put", "fan", '{"reported":{"speed":1.5}}');
  return shadow;
}

const json = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const viewsOf = async (shadow: ReturnType<typeof commandsOn>) =>
  (await shadow("list", "--query", "not reported.x exists")).stdout.split("\n").toSorted();

describe("tablekeep shadow export and import", () => {
  test("copy all shadows with their versions, and again change nothing", async () => {
    const shadow = await filled();
    const file = join(files, "all.ndjson");
    const exported = await shadow("export", "--output", file);
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    expect(json(exported.stdout)).toEqual([{ output: file, lines: 5, complete: true }]);
    expect((await shadow("export")).stdout).toBe(readFileSync(file, "utf8"));

    const copy = commandsOn(tempFolder());
    const imported = await copy("import", file);
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(json(imported.stdout)).toMatchObject([{ table: "device-shadows", shadows: 3, written: 3 }]);
    expect(await viewsOf(copy)).toEqual(await viewsOf(shadow));
    expect(json((await copy("import", file)).stdout)).toMatchObject([{ written: 0, same: 3 }]);
    expect((await copy("export")).stdout).toBe(readFileSync(file, "utf8"));
  });

  test("continue an interrupted export", async () => {
    const shadow = await filled();
    const file = join(files, "interrupted.ndjson");
    const whole = (await shadow("export")).stdout;
    writeFileSync(file, whole);
    truncateSync(file, Math.floor(whole.length * 0.6));
    expect(await shadow("import", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("SHADOW_EXPORT_INVALID"),
    });
    expect(await shadow("export", "--output", file)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("CLI_OUTPUT_FAILED"),
    });
    expect(await shadow("export", "--output", file, "--resume")).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe(whole);
    expect(json((await shadow("export", "--output", file, "--resume")).stdout)).toEqual([
      { output: file, lines: 0 },
    ]);
    expect(await shadow("export", "--resume")).toMatchObject({ code: 2 });
  });

  test("export one thing, and report one that does not exist", async () => {
    const shadow = await filled();
    const { stdout } = await shadow("export", "lamp");
    expect(json(stdout).slice(1, -1)).toMatchObject([
      { thing: "lamp", name: "", version: 2, reported: { on: false } },
      { thing: "lamp", name: "config", version: 1, desired: { a: [1, 2] } },
    ]);
    expect(stdout).toContain('"n":9007199254740993');
    expect(await shadow("export", "lmap")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("CLI_NO_SHADOW"),
    });
  });

  test("report shadows that exist in another state, unless a rule says what to do", async () => {
    const shadow = await filled();
    const file = join(files, "rules.ndjson");
    await shadow("export", "--output", file);
    const copy = commandsOn(tempFolder());
    await copy("put", "lamp", '{"reported":{"mine":1}}');
    await copy("put", "fan", '{"reported":{"mine":1}}');
    await copy("put", "fan", '{"reported":{"mine":2}}');
    const refused = await copy("import", file);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("CLI_SHADOW_EXISTS") });
    expect(json(refused.stdout)).toHaveLength(3);
    expect(json(refused.stdout)).toContainEqual({
      conflict: { thing: "lamp", name: "", kind: "combined", version: 2, current: 1 },
    });
    expect(json(refused.stdout).at(-1)).toMatchObject({ written: 1, conflicts: 2 });
    expect(json((await copy("import", file, "--if-absent")).stdout)).toMatchObject([{ same: 1, kept: 2 }]);
    expect(json((await copy("import", file, "--if-newer")).stdout)).toMatchObject([
      { same: 1, written: 1, kept: 1 },
    ]);
    expect(json((await copy("get", "lamp")).stdout)).toMatchObject([
      { version: 2, state: { reported: { on: false } } },
    ]);
    expect(json((await copy("get", "fan")).stdout)).toMatchObject([
      { version: 2, state: { reported: { mine: 2 } } },
    ]);
    expect(await copy("import", file, "--if-newer", "--if-absent")).toMatchObject({ code: 2 });
  });

  test("leave out corrupt items with exit code 9, and reject a file with damage", async () => {
    const data = tempFolder();
    const shadow = commandsOn(data);
    await shadow("put", "lamp", '{"desired":{"on":true}}');
    const server = startMain(["dynamodb", "--data", data, "--port", "0", "--json"]);
    await expect.poll(() => server.stdout()).toContain("started");
    const { endpoint } = JSON.parse(server.stdout());
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    await using port = connect({ endpoint, region: "us-east-1", credentials });
    const Item = { PK: { S: "DS#bad" }, SK: { S: "DSC#" }, Version: { S: "one" } };
    await port.putItem({ TableName: "device-shadows", Item });
    const file = join(files, "corrupt.ndjson");
    expect(await shadow("export", "--output", file)).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/left out: .*"" of bad[\s\S]*CLI_SHADOWS_DAMAGED/),
    });
    const verified = await shadow("verify");
    expect(verified).toMatchObject({ code: 9, stderr: expect.stringContaining("CLI_SHADOWS_DAMAGED") });
    expect(json(verified.stdout)).toMatchObject([
      { kind: "corrupt", severity: "error", thing: "bad", name: "", item: "combined" },
      { summary: { shadows: 2, error: 1 } },
    ]);
    expect(await runMain(["shadow", "verify", "lamp", "--data", data])).toMatchObject({
      code: 0,
      stdout: "Read 1 shadow: 0 errors, 0 warnings, 0 notes.\n",
    });
    expect(await shadow("verify", "lmap")).toMatchObject({ code: 3, stdout: "" });
    // The same through an endpoint, as on DynamoDB.
    const copied = ["shadow", "import", file, "--endpoint", endpoint, "--table", "copy", "--create"];
    expect(await runMain(copied)).toMatchObject({ code: 0, stdout: "Imported 1 shadow into copy.\n" });
    expect(await runMain(copied)).toMatchObject({
      code: 0,
      stdout: "Imported 0 shadows into copy; 1 already existed.\n",
    });
    appendFileSync(file, "{}\n");
    expect(await runMain(copied)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/line 4 of the export .*SHADOW_EXPORT_INVALID/),
    });
    server.interrupt();
    await server.result;
  });
});
