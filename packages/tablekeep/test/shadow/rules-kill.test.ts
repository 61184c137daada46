/** The program is killed while it posts: every accepted update that matches a rule is posted, by one of its runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "@tablekeep/testkit";
import { beforeAll, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { tempFolder } from "../temp-folder.ts";
import { hookServer } from "./hook-server.ts";
import { startServed } from "./served-process.ts";
import { type Accepted, writeByRest } from "./update-writers.ts";

let program = "";
beforeAll(async () => {
  program = await buildProgram();
});

test("kill -9 loses no event", async () => {
  const folder = tempFolder();
  const random = seededRandom("rules");
  // Some requests fail, so that events wait when the program is killed.
  const { url, posted } = await hookServer(() => (random.chance(0.05) ? 500 : 200));
  const rules = join(tempFolder(), "..", "rules.json");
  const secret = "a secret";
  writeFileSync(
    rules,
    JSON.stringify([
      { name: "even", on: "update", where: 'thing = "t-0" and reported exists', url, secret },
      { name: "dead", on: "documents", url: "http://127.0.0.1:9/" },
    ]),
  );
  const accepted: Accepted[] = [];
  const flags = ["--shadow-rules", rules];
  const start = () => startServed(program, folder, ["smtp", "dynamodb", "mqtt"], [], flags);
  for (let round = 0; round < 3; round++) {
    const served = start();
    const { http: base = "" } = await served.urls;
    const enough = accepted.length + random.int(5, 40);
    let reached = () => {};
    const isEnough = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const onAccepted = (one: Accepted) => {
      if (accepted.push(one) >= enough) reached();
    };
    const lanes = [0, 1, 2].map((lane) =>
      writeByRest({ base, thing: `t-${lane % 2}`, name: `r${round}-${lane}-`, count: 60, onAccepted }),
    );
    await Promise.race([isEnough, Promise.all(lanes)]);
    await served.kill();
    await Promise.all(lanes);
  }
  const last = start();
  await last.urls;
  const wanted = accepted.filter(({ thing }) => thing === "t-0").map(({ version }) => version);
  const missing = () => {
    const versions = new Set(posted.map(({ event }) => event.version));
    return wanted.filter((version) => !versions.has(version));
  };
  await expect.poll(missing).toEqual([]);
  expect(wanted.length).toBeGreaterThan(10);
  expect(new Set(posted.map(({ event }) => `${event.rule} ${event.thing}`))).toEqual(new Set(["even t-0"]));
  expect(await last.stop()).toBe(0);
});
