/** Two programs, one of them in place of AWS IoT Core, are killed in turn: every accepted update is on both sides in the end. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "@tablekeep/testkit";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { buildProgram } from "../build-program.ts";
import { runMain } from "../run-main.ts";
import { tempFolder } from "../temp-folder.ts";
import { startServed } from "./served-process.ts";
import { type Accepted, writeByRest } from "./update-writers.ts";

let program = "";
beforeAll(async () => {
  program = await buildProgram();
});

const reported = async (base: string): Promise<Readonly<Record<string, number>>> => {
  const answer = await fetch(new URL("/things/t-0/shadow", base));
  const { state } = (await answer.json()) as { state?: { reported?: Record<string, number> } };
  return state?.reported ?? {};
};

test("kill -9 of either side loses no update", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "any");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "any");
  onTestFinished(() => void vi.unstubAllEnvs());
  const random = seededRandom("sync");
  const folders = { here: tempFolder(), cloud: tempFolder() };
  const leftOut = ["smtp", "dynamodb", "mqtt"] as const;
  const startCloud = (flags: readonly string[] = []) =>
    startServed(program, folders.cloud, leftOut, [], flags);
  let cloud = startCloud();
  const { http: endpoint = "" } = await cloud.urls;
  const samePort = ["--http-port", new URL(endpoint).port];
  const file = join(tempFolder(), "..", "sync.json");
  writeFileSync(file, JSON.stringify({ endpoint, everySeconds: 1, shadows: [{ things: "t-*" }] }));
  const startHere = () => startServed(program, folders.here, ["smtp", "mqtt"], [], ["--shadow-sync", file]);
  let here = startHere();
  const accepted: Accepted[] = [];
  for (let round = 0; round < 3; round++) {
    const bases = [(await here.urls)["http"] ?? "", endpoint];
    await cloud.urls;
    const enough = accepted.length + random.int(10, 40);
    let reached = () => {};
    const isEnough = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const onAccepted = (one: Accepted) => {
      if (accepted.push(one) >= enough) reached();
    };
    const lanes = bases.map((base, side) =>
      writeByRest({ base, thing: "t-0", name: `r${round}-${side}-`, count: 30, onAccepted }),
    );
    await Promise.race([isEnough, Promise.all(lanes)]);
    if (round % 2 === 0) {
      await here.kill();
      here = startHere();
    } else {
      await cloud.kill();
      cloud = startCloud(samePort);
    }
    await Promise.all(lanes);
  }
  const { http: base = "" } = await here.urls;
  await cloud.urls;
  const missing = async () => {
    const sides = [await reported(base), await reported(endpoint)];
    return accepted.flatMap(({ key }) =>
      sides.flatMap((keys, side) => (key in keys ? [] : [`${side} ${key}`])),
    );
  };
  await expect.poll(missing, { interval: 200 }).toEqual([]);
  expect(await reported(base)).toEqual(await reported(endpoint));
  expect(accepted.length).toBeGreaterThan(25);

  const { host } = new URL(endpoint);
  const statusText = async () => (await runMain(["status", "--data", folders.here])).stdout;
  await expect.poll(statusText, { interval: 500 }).toContain("1 shadow, 0 waiting, 0 rejected");
  expect(await statusText()).toContain(`Shadow sync with ${host} (`);
  const { stdout } = await runMain(["shadow", "sync", "--data", folders.here, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    cloud: host,
    thing: "t-0",
    name: "",
    syncedAt: expect.any(String),
  });
  expect([await here.stop(), await cloud.stop()]).toEqual([0, 0]);
});
