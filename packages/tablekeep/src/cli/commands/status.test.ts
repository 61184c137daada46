import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Engine, openEngine } from "@tablekeep/engine";
import { describe, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { startServer } from "../../server/start-server.ts";

const open = (path: string): Promise<Engine> => openEngine({ storage: { kind: "folder", path } });

async function statusOf(path: string): Promise<unknown> {
  const { code, stdout, stderr } = await runMain(["status", "--data", path, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("tablekeep status", () => {
  test.each([{ dynamodb: true }, { dynamodb: false }])(
    "lists the addresses of the server of a folder: %j",
    async ({ dynamodb }) => {
      const path = tempFolder();
      const ports = { httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };
      await using server = await startServer({ dataFolder: path, dynamodb, ...ports });
      const listeners = server.listeners.map(({ name, url }) => ({ name, url }));
      expect(listeners).toHaveLength(dynamodb ? 4 : 3);
      expect(await statusOf(path)).toEqual({
        state: "served",
        where: path,
        from: "--data",
        owner: { pid: process.pid, host: hostname(), listeners, answers: true },
        services: [],
      });
      const { stdout } = await runMain(["status"], { TABLEKEEP_DATA: path });
      expect(stdout).toContain(`Data folder ${path} (TABLEKEEP_DATA)\nServed by process ${process.pid} `);
      for (const { url } of listeners) expect(stdout).toContain(url);
      // The keys of the private endpoint are for programs, not for screens.
      const { access } = JSON.parse(readFileSync(join(path, "owner.json"), "utf8"));
      expect(stdout).not.toContain(access.secretAccessKey);
    },
  );

  test("lists the address of the console with its path", async () => {
    const path = tempFolder();
    const only = { dynamodb: false, smtp: false, mqtt: false, httpPort: 0, webPath: "/tk" };
    await using server = await startServer({ dataFolder: path, ...only });
    const url = new URL("/tk/", server.listeners[0]?.url).href;
    expect(await statusOf(path)).toMatchObject({ owner: { listeners: [{ name: "http", url }] } });
  });

  test("says that a folder is free once its server has stopped", async () => {
    const path = tempFolder();
    const ports = { httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };
    await (await startServer({ dataFolder: path, ...ports })).stop();
    expect(await statusOf(path)).toEqual({
      state: "free",
      where: path,
      from: "--data",
      owner: null,
      services: [],
    });
  });

  test("distinguishes an engine that only has the folder open from a server", async () => {
    const path = tempFolder();
    await using engine = await open(path);
    expect(await statusOf(path)).toMatchObject({
      state: "open",
      owner: { pid: process.pid, listeners: [], answers: null },
    });
    engine.announce("http://127.0.0.1:1");
    expect(await statusOf(path)).toMatchObject({
      state: "served",
      owner: { listeners: [{ name: "dynamodb", url: "http://127.0.0.1:1" }], answers: null },
    });
  });

  test("creates no folder, and succeeds without one", async () => {
    const path = tempFolder();
    expect(await statusOf(path)).toMatchObject({ state: "empty", owner: null });
    expect(existsSync(path)).toBe(false);
    mkdirSync(path);
    writeFileSync(join(path, "notes.txt"), "");
    expect(await statusOf(path)).toMatchObject({ state: "empty", owner: null });
  });

  test.each([
    [{ TABLEKEEP_REGION: "eu-west-1" }, "TABLEKEEP_REGION"],
    [{ TABLEKEEP_ENDPOINT: "http://127.0.0.1:1" }, "TABLEKEEP_ENDPOINT"],
    [{ TABLEKEEP_MEMORY: "true" }, "TABLEKEEP_MEMORY"],
  ])("names the setting that keeps the data elsewhere: %j", async (env, from) => {
    const { code, stdout } = await runMain(["status", "--json"], env);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { state: "elsewhere", from, owner: null }]);
  });

  test.each([
    ["another version", '{"format":"99"}', "99"],
    ["no version", "{}", "unreadable"],
    ["a version that wrote none", undefined, "none"],
  ])("does not say that a folder of %s can be served", async (_version, format, found) => {
    const path = tempFolder();
    mkdirSync(path);
    writeFileSync(join(path, "data.mdb"), "");
    if (format !== undefined) writeFileSync(join(path, "format.json"), format);
    const before = readdirSync(path);
    const { code, stdout, stderr } = await runMain(["status", "--data", path, "--json"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: "ENGINE_FORMAT_UNKNOWN",
        details: { path, found },
      },
    });
    expect(readdirSync(path)).toEqual(before);
  });

  test.each(["", "/below"])("says that a file%s is not a folder", async (below) => {
    const path = tempFolder();
    writeFileSync(path, "");
    for (const command of [["status"], ["table", "list"], ["mail", "list"]]) {
      const { code, stdout, stderr } = await runMain([...command, "--data", `${path}${below}`]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^error: [^\n]* folder[^\n]*--data \[SERVER_DATA_FOLDER_INVALID\]\n$/);
    }
  });

  test("rejects an empty folder name in one line", async () => {
    const { code, stderr } = await runMain(["status", "--data", ""]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: [^\n]*\[CLI_VALUE_INVALID\]\n$/)]);
  });
});

describe("a server that closes every connection", () => {
  async function closing(path: string, onConnection: (engine: Engine) => void) {
    const engine = await open(path);
    const server = createServer((socket) => {
      onConnection(engine);
      socket.destroy();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    engine.announce(endpoint, { endpoint, accessKeyId: "a", secretAccessKey: "b" });
    return {
      async [Symbol.asyncDispose]() {
        server.close();
        await engine.close();
      },
    };
  }

  test("does not answer", async () => {
    const path = tempFolder();
    await using _ = await closing(path, () => {});
    expect(await statusOf(path)).toMatchObject({ state: "served", owner: { answers: false } });
    const { stdout } = await runMain(["status", "--data", path]);
    expect(stdout).toContain(`which does not answer: read its log, or end it with "kill ${process.pid}"`);
  });

  test.runIf(process.platform === "linux")(
    "is not reported if it ran before the machine was started",
    async () => {
      const path = tempFolder();
      const record = await (async () => {
        await using _ = await closing(path, () => {});
        return JSON.parse(readFileSync(join(path, "owner.json"), "utf8")) as object;
      })();
      const earlier = { ...record, boot: "00000000-0000-4000-8000-000000000000" };
      writeFileSync(join(path, "owner.json"), JSON.stringify(earlier));
      expect(await statusOf(path)).toMatchObject({ state: "free", owner: null });
      // Only its own machine can tell.
      writeFileSync(join(path, "owner.json"), JSON.stringify({ ...earlier, host: "another" }));
      expect(await statusOf(path)).toMatchObject({
        state: "served",
        owner: { host: "another", answers: null },
      });
    },
  );

  test("is not reported if it has released the folder meanwhile", async () => {
    const path = tempFolder();
    await using _ = await closing(path, (engine) => void engine.close());
    expect(await statusOf(path)).toMatchObject({ state: "free", owner: null });
  });
});
