import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { httpPort } from "@tablekeep/client";
import { readFolderOwner } from "@tablekeep/engine";
import { describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const data = tempFolder();

async function started(argv: string[], env: Record<string, string> = {}) {
  const run = startMain(["dynamodb", "--port", "0", "--json", ...argv], env);
  await expect.poll(run.stdout).toContain("\n");
  const facts = JSON.parse(run.stdout().split("\n")[0] ?? "");
  const end = async () => {
    run.interrupt();
    return run.result;
  };
  return { endpoint: String(facts.endpoint), dataFolder: facts.dataFolder, end };
}

const list = async (endpoint: string, secretAccessKey = "any") => {
  await using port = httpPort({
    endpoint,
    credentials: { accessKeyId: "team", secretAccessKey },
    maxAttempts: 1,
  });
  return await port.listTables({}).then(
    () => "let in",
    (error: { code: string }) => error.code,
  );
};

describe("tablekeep dynamodb", () => {
  test("on a folder, writes its endpoint into the folder and removes it when it stops", async () => {
    const { endpoint, dataFolder, end } = await started(["--data", data]);
    expect(dataFolder).toBe(data);
    expect(readFolderOwner(data)).toMatchObject({ pid: process.pid, endpoint });
    expect(await list(endpoint)).toBe("let in");
    const { code, stdout, stderr } = await end();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/\{"event":"stopped"\}\n$/);
    expect(readFolderOwner(data)).toBe(undefined);
  });

  test("in memory, creates no folder and reports that", async () => {
    const run = startMain(["dynamodb", "--memory", "--port", "0"]);
    await expect.poll(run.stdout).toContain("Ctrl+C");
    expect(run.stdout()).toMatch(
      /^DynamoDB is running\.\n {2}dynamodb {2}http:\/\/127\.0\.0\.1:\d+\/ {3}.*\n {2}data {6}in memory/,
    );
    run.interrupt();
    expect((await run.result).code).toBe(0);
    expect(existsSync("tablekeep-data")).toBe(false);
  });

  test.each([
    ["options", ["--access-key-id", "team", "--secret-access-key", "right"], {}],
    ["variables", [], { TABLEKEEP_ACCESS_KEY_ID: "team", TABLEKEEP_SECRET_ACCESS_KEY: "right" }],
  ])("keys from %s must be signed with", async (_name, argv, env) => {
    const { endpoint, end } = await started(["--memory", ...argv], env);
    expect(await list(endpoint, "right")).toBe("let in");
    expect(await list(endpoint, "wrong")).toBe("DYNAMO_INVALID_SIGNATURE");
    const { stdout } = await end();
    expect(stdout).not.toContain("right");
  });

  test("listens on a non-loopback address only with keys or with --allow-anonymous", async () => {
    const rejected = await runMain(["dynamodb", "--memory", "--port", "0", "--host", "0.0.0.0"]);
    expect(rejected).toMatchObject({ code: 8, stderr: expect.stringContaining("[SERVER_HOST_REFUSED]") });
    const keys = ["--access-key-id", "team", "--secret-access-key", "right"];
    for (const permission of [keys, ["--allow-anonymous"]]) {
      const { endpoint, end } = await started(["--memory", "--host", "0.0.0.0", ...permission]);
      expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
      expect(await list(endpoint, "right")).toBe("let in");
      await end();
    }
  });

  test.each([
    [["--memory", "--data", "x"], "[CLI_OPTION_CONFLICT]"],
    [["--memory", "--access-key-id", "team"], "[CLI_OPTION_MISSING]"],
    [["--memory", "--access-key-id", "a b", "--secret-access-key", "x"], "[SERVER_OPTION_INVALID]"],
    [["--memory", "--port", "x"], "[CLI_VALUE_INVALID]"],
    [["--data", import.meta.filename], "[SERVER_DATA_FOLDER_INVALID]"],
  ])("%j is rejected in one line", async (argv, words) => {
    const { code, stdout, stderr } = await runMain(["dynamodb", ...argv]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
    expect(stderr.trimEnd()).not.toContain("\n");
  });

  test("reports a port in use in one line with the flag, and releases the folder", async () => {
    const holder = createServer();
    await new Promise<void>((done) => holder.listen(0, "127.0.0.1", done));
    const { port } = holder.address() as { port: number };
    const rejected = await runMain(["dynamodb", "--data", data, "--port", String(port)]);
    holder.close();
    expect(rejected).toMatchObject({ code: 4, stderr: expect.stringContaining("[SERVER_PORT_TAKEN]") });
    expect(readFolderOwner(data)).toBe(undefined);
  });

  test("a second one on the same folder fails with the owner and its address", async () => {
    const { endpoint, end } = await started(["--data", data]);
    const second = await runMain(["dynamodb", "--data", data, "--port", "0"]);
    expect(second.code).toBe(4);
    expect(second.stderr).toContain(`process ${process.pid}`);
    expect(second.stderr).toContain(endpoint);
    await end();
  });
});
