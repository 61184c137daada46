import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type RunningServer, startServer } from "tablekeep";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openApp } from "../src/app.ts";
import { startDevice } from "../src/device.ts";
import { obey, step, switchedOn } from "../src/thermostat.ts";

test("a thermostat heats until it is as warm as desired, and obeys what it can", () => {
  let state = obey(switchedOn, { target: 19 });
  expect(state).toEqual({ target: 19, celsius: 18, heating: true });
  for (let at = 0; at < 5; at++) state = step(state);
  expect(state).toEqual({ target: 19, celsius: 19, heating: false });
  for (const target of [4, 31, Number.NaN, "20", null]) expect(obey(state, { target })).toBe(state);
  expect(step(obey(state, { target: 10 }))).toEqual({ target: 10, celsius: 18.5, heating: false });
});

describe("device and app", () => {
  let folder = "";
  let server: RunningServer;
  const url = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "thermostat-"));
    const only = { journals: [], mail: false, dynamodb: false } as const;
    server = await startServer({ ...only, dataFolder: folder, httpPort: 0, mqttPort: 0 });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function app() {
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    const opened = openApp({ endpoint: url("http"), region: "us-east-1", credentials });
    onTestFinished(() => opened.close());
    return opened;
  }

  test("meet in the shadow: what the app desires, the device does and reports", async () => {
    const device = await startDevice(url("mqtt"), "hall");
    await app().desire("hall", 19);
    await expect.poll(() => device.state().target).toBe(19);
    await device.step();
    await device.step();
    const shadow = await app().reached("hall", AbortSignal.timeout(15_000));
    expect(shadow).toMatchObject({
      desired: { target: 19 },
      reported: { target: 19, celsius: 19, heating: false },
      pending: false,
    });
    await device.stop();
  });

  test("a device that was away finds what it missed", async () => {
    const first = await startDevice(url("mqtt"), "cellar");
    await first.stop();
    await app().desire("cellar", 10);
    expect(await app().read("cellar")).toMatchObject({ pending: true });
    const second = await startDevice(url("mqtt"), "cellar");
    await expect.poll(() => second.state().target).toBe(10);
    await expect.poll(async () => (await app().read("cellar")).pending).toBe(false);
    await second.stop();
  });

  test("a wish that cannot be granted stays one", async () => {
    const device = await startDevice(url("mqtt"), "oven");
    await app().desire("oven", 200);
    await device.step();
    expect(await app().read("oven")).toMatchObject({ pending: true, reported: { target: 18 } });
    await device.stop();
  });

  test("run as the README says", async () => {
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const run = async (...args: string[]) => {
      const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
      expect(code, said).toBe(0);
      return said;
    };
    await run("node_modules/typescript/bin/tsc", "-b", "examples/thermostat");
    const places = ["--mqtt", url("mqtt"), "--http", url("http"), "--step-ms", "20", "--thing", "study"];
    const said = await run("examples/thermostat/dist/main.js", ...places);
    const warmer = [18.5, 19, 19.5, 20, 20.5, 21].map((celsius) => `device: ${celsius} °C, heating`);
    // The app may see the change later than the device.
    const lines = said.split("\n").filter((line) => line !== "app: 21.5 °C, please");
    expect(lines).toEqual([
      "device: 18 °C",
      "device: 18 °C, heating",
      ...warmer,
      "device: 21.5 °C",
      "app: study has 21.5 °C, at version 10",
      "",
    ]);
    // Nothing listens on port 1.
    const alone = ["device", "--mqtt", "mqtt://127.0.0.1:1"];
    const child = spawn(process.execPath, ["examples/thermostat/dist/main.js", ...alone], { cwd: root });
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect({ code, complaint }).toMatchObject({
      code: 1,
      complaint: expect.stringMatching(/^error: .*: start the server first, with npm start$/m),
    });
    expect(complaint).not.toMatch(/^ +at /m);
  });
});
