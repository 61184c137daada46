/** Updates accepted over HTTP or MQTT exist after kill -9. */
import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "@tablekeep/testkit";
import { connect, connectAsync } from "mqtt";
import { beforeAll, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { tempFolder } from "../temp-folder.ts";
import { startServed } from "./served-process.ts";
import { type Accepted, writeByMqtt, writeByRest } from "./update-writers.ts";

const kills = 10 * Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));
const folder = tempFolder();
let program = "";
beforeAll(async () => {
  program = await buildProgram();
});

/** Two things, each written by two clients of either kind. Ends once the server is gone. */
async function writeAll(
  urls: Readonly<Record<string, string>>,
  round: number,
  onAccepted: (one: Accepted) => void,
) {
  const lanes = [0, 1, 2, 3].flatMap((lane) => {
    const shared = { thing: `t-${round}-${lane % 2}`, count: 60, onAccepted };
    return [
      writeByRest({ ...shared, base: urls["http"] ?? "", name: `r${lane}-` }),
      writeByMqtt({ ...shared, base: urls["mqtt"] ?? "", name: `m${lane}-` }),
    ];
  });
  await Promise.all(lanes);
}

/** What is wrong with the things of one process after it. */
async function problemsOf(http: string, accepted: readonly Accepted[]): Promise<string[]> {
  const problems: string[] = [];
  for (const thing of new Set(accepted.map((each) => each.thing))) {
    const own = accepted.filter((each) => each.thing === thing);
    const shadow = (await (await fetch(new URL(`/things/${thing}/shadow`, http))).json()) as {
      version: number;
      state: { reported: Record<string, number> };
    };
    const keys = new Set(Object.keys(shadow.state.reported));
    for (const { key } of own) if (!keys.has(key)) problems.push(`${thing}: ${key} was accepted and is lost`);
    if (new Set(own.map(({ version }) => version)).size !== own.length)
      problems.push(`${thing}: two updates have one version`);
    // Each update adds one key: one that is done twice, or half, does not add up.
    if (shadow.version !== keys.size)
      problems.push(`${thing}: ${keys.size} keys at version ${shadow.version}`);
  }
  return problems;
}

test(`${kills} times kill -9: no accepted update is lost, and none is done twice`, async () => {
  const random = seededRandom("shadows");
  const problems: string[] = [];
  let all: Accepted[] = [];
  let total = { rest: 0, mqtt: 0 };
  for (let round = 0; round < kills; round++) {
    const served = startServed(program, folder, ["smtp", "dynamodb"]);
    if (random.chance(0.15)) {
      // While it starts.
      await pause(random.int(100, 600));
      await served.kill();
      continue;
    }
    const urls = await served.urls;
    problems.push(...(await problemsOf(urls["http"] ?? "", all)));
    all = [];
    // After a number of writes, not after a time: a server on a slow machine must not be killed before it has done anything.
    const enough = random.int(1, 60);
    let reached = () => {};
    const isEnough = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const writing = writeAll(urls, round, (one) => {
      if (all.push(one) >= enough) reached();
    });
    await Promise.race([isEnough, writing]);
    await pause(random.int(0, 5));
    await served.kill();
    await writing;
    const rest = all.filter(({ key }) => key.startsWith("r")).length;
    total = { rest: total.rest + rest, mqtt: total.mqtt + all.length - rest };
  }
  const last = startServed(program, folder, ["smtp", "dynamodb"]);
  problems.push(...(await problemsOf((await last.urls)["http"] ?? "", all)));
  expect(await last.stop()).toBe(0);
  expect(problems).toEqual([]);
  expect(Math.min(total.rest, total.mqtt)).toBeGreaterThan(kills);
});

async function connectivityOf(thing: string, { http = "" }: Readonly<Record<string, string>>) {
  const response = await fetch(new URL(`/api/v3/shadows/${thing}/connectivity`, http));
  return (await response.json()) as { connected: boolean };
}

test("a persistent MQTT session survives kill -9: no acknowledged message is lost, and retained ones are kept", async () => {
  const own = tempFolder();
  const device = { clientId: "device", clean: false, reconnectPeriod: 0 } as const;
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round++) {
    const served = startServed(program, own, ["smtp", "dynamodb"]);
    const { mqtt = "" } = await served.urls;
    if (round === 0) {
      const subscriber = await connectAsync(mqtt, device);
      await subscriber.subscribeAsync("news", { qos: 1 });
      await subscriber.endAsync(true);
    }
    const sender = await connectAsync(mqtt, { clientId: "sender", reconnectPeriod: 0 });
    sender.on("error", () => {});
    await sender.publishAsync("kept", String(round), { qos: 1, retain: true });
    const sent = Array.from({ length: 50 }, async (_, n) => {
      const text = `${round}-${n}`;
      await sender.publishAsync("news", text, { qos: 1 });
      acknowledged.push(text);
    });
    // In the middle of them.
    await Promise.race(sent.slice(10 * round));
    const isConnected = async () => (await connectivityOf("sender", await served.urls)).connected;
    if (round === 0) await expect.poll(isConnected).toBe(true);
    await served.kill();
    sender.end(true);
    await Promise.race([Promise.allSettled(sent), pause(1_000)]);
  }
  const last = startServed(program, own, ["smtp", "dynamodb"]);
  // Nothing that the killed server left behind counts as connected.
  const lost = { connected: false, reason: "SERVER_LOST" };
  expect(await connectivityOf("sender", await last.urls)).toMatchObject(lost);
  const back = connect((await last.urls)["mqtt"] ?? "", { ...device, manualConnect: true });
  const received = new Set<string>();
  let kept = "";
  back.on("message", (topic, payload) => {
    if (topic === "kept") kept = String(payload);
    else received.add(String(payload));
  });
  back.connect();
  await expect.poll(() => acknowledged.filter((each) => !received.has(each))).toEqual([]);
  await back.subscribeAsync("kept", { qos: 1 });
  await expect.poll(() => kept).toBe("2");
  await back.endAsync(true);
  expect(acknowledged.length).toBeGreaterThan(3);
  expect(await last.stop()).toBe(0);
});
