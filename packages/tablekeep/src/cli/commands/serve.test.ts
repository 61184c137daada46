import { createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
// Imported here, so that no test waits until it is loaded.
import "../../server/start-server.ts";

const data = tempFolder();
const own = ["--dynamodb-port", "0", "--smtp-port", "0", "--mqtt-port", "0", "--data", data];

describe("tablekeep serve", () => {
  test("prints its listeners, serves them, and exits with 0 when it is stopped", async () => {
    const run = startMain(["serve", "--http-port", "0", ...own]);
    await expect.poll(run.stdout).toContain("Ctrl+C");
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(run.stdout())?.[0] ?? "";
    expect(run.stdout()).toContain(data);
    expect(await (await fetch(`${url}healthz`)).json()).toMatchObject({ status: "ok" });
    const page = await fetch(new URL("/about", url));
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await page.text()).toContain(data);
    run.interrupt();
    expect(await run.result).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/\nStopped\.\n$/),
    });
    await expect(fetch(url)).rejects.toThrow();
  });

  test("prints the address of the console with its path", async () => {
    const run = startMain(["serve", "--http-port", "0", ...own, "--web-path", "/tk"]);
    await expect.poll(run.stdout).toContain("Ctrl+C");
    const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\/tk\//.exec(run.stdout()) ?? [];
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<!doctype html>")]);
    run.interrupt();
    expect(await run.result).toMatchObject({ code: 0 });
  });

  test("with --json prints one document when it has started and one when it has stopped", async () => {
    const run = startMain(["serve", "--port", "0", "--json", ...own]);
    await expect.poll(run.stdout).toContain("\n");
    run.interrupt();
    const { code, stdout } = await run.result;
    expect(code).toBe(0);
    const [started, stopped] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(started).toMatchObject({
      event: "started",
      dataFolder: data,
      listeners: [
        { name: "http", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/$/) },
        { name: "dynamodb", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/$/) },
        { name: "smtp", url: expect.stringMatching(/^smtp:\/\/127\.0\.0\.1:[1-9]\d*$/) },
        { name: "mqtt", url: expect.stringMatching(/^mqtt:\/\/127\.0\.0\.1:[1-9]\d*$/) },
      ],
    });
    expect(stopped).toEqual({ event: "stopped" });
  });

  test.each([
    [["--mqtt-users", "/no/such/file"], 2, "[SERVER_USERS_FILE_INVALID]"],
    [["--smtp-users", "/no/such/file"], 2, "[SERVER_USERS_FILE_INVALID]"],
    [["--smtp-cert", "/no/such/file", "--smtp-key", "/no/such/file"], 3, "[CLI_FILE_UNREADABLE]"],
    [["--smtp-cert", "/no/such/file"], 2, "[CLI_OPTION_MISSING]"],
    [["--smtp-implicit-tls"], 2, "[SERVER_OPTION_INVALID]"],
    [["--outgoing-smtp", "/no/such/file"], 2, "[RELEASE_RELAYS_INVALID]"],
    [["--entities", "/no/such/file.mjs"], 2, "[SERVER_ENTITIES_INVALID]"],
  ])("%j is one line", async (flags, exitCode, words) => {
    const { code, stderr } = await runMain(["serve", "--http-port", "0", ...own, ...flags]);
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(words)]);
  });

  test("reports a port in use in one line with the port and the flag", async () => {
    const holder = createServer();
    await new Promise<void>((done) => holder.listen(0, "127.0.0.1", done));
    const { port } = holder.address() as { port: number };
    const { code, stdout, stderr } = await runMain(["serve", "--http-port", String(port), ...own]);
    holder.close();
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    const by = process.platform === "linux" ? "this process" : "";
    expect(stderr).toMatch(
      new RegExp(`^error: .*\\b${port}\\b.*${by}.*--http-port \\[SERVER_PORT_TAKEN\\]\\n$`),
    );
  });

  test.each([[[]], [["--create-tables"]]])(
    "stops at once while it waits for remote tables, %j",
    async (flags) => {
      const silent = createServer();
      await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
      const sockets: Socket[] = [];
      const asked = new Promise<void>((resolve) =>
        silent.on("connection", (socket) => {
          sockets.push(socket);
          socket.once("data", () => resolve());
        }),
      );
      const { port } = silent.address() as { port: number };
      const ports = ["--http-port", "0", "--smtp-port", "0", "--mqtt-port", "0"];
      const run = startMain(["serve", "--endpoint", `http://127.0.0.1:${port}`, ...ports, ...flags]);
      await asked;
      run.interrupt();
      expect(await run.result).toEqual({ code: 0, stdout: "Stopped.\n", stderr: "" });
      for (const socket of sockets) socket.destroy();
      silent.close();
    },
  );

  test("does not listen on a non-loopback address unless that is allowed", async () => {
    const rejected = await runMain(["serve", "--http-port", "0", "--host", "0.0.0.0", ...own]);
    expect(rejected).toMatchObject({ code: 8, stderr: expect.stringContaining("--allow-anonymous") });
  });
});
