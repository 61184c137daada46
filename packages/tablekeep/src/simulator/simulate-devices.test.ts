import { connectAsync } from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestServer } from "../testing/start-test-server.ts";
import { planDevice } from "./device-steps.ts";
import { Latencies } from "./latencies.ts";
import { simulateDevices } from "./simulate-devices.ts";

/** All updates that devices send to a new server, in the order of each device, and the result. */
async function simulate(seed: string) {
  const server = await startTestServer({ mail: false, dynamodb: false });
  onTestFinished(() => server.stop());
  const listener = await connectAsync(server.mqttUrl, { reconnectPeriod: 0 });
  onTestFinished(async () => void (await listener.endAsync(true)));
  const sent = new Map<string, string[]>();
  listener.on("message", (topic, payload) => {
    const known = sent.get(topic) ?? [];
    sent.set(topic, known);
    if (!known.includes(payload.toString())) known.push(payload.toString());
  });
  await listener.subscribeAsync("$aws/things/+/shadow/update", { qos: 0 });
  const result = await simulateDevices({
    url: server.mqttUrl,
    devices: 4,
    seed,
    seconds: 1.2,
    intervalMs: 20,
    settleMs: 100_000,
  });
  // The listener has received everything that came before its own message.
  const isDone = new Promise((resolve) =>
    listener.on("message", (topic) => topic === "done" && resolve(topic)),
  );
  await listener.subscribeAsync("done");
  await listener.publishAsync("done", "");
  await isDone;
  sent.delete("done");
  return { server, sent, result };
}

test("every update is answered, and an update that is sent again is performed once", async () => {
  const { server, result } = await simulate("a");
  expect(result).toMatchObject({ sent: 240, unanswered: 0, unsent: 0, applied: 0 });
  expect(result.accepted + result.rejected).toBe(240);
  expect(result.rejected).toBeGreaterThan(0);
  expect(result.rejected).toBeLessThanOrEqual(result.old);
  expect(result.duplicates).toBeGreaterThan(0);
  expect(result.offline).toBeGreaterThan(0);
  expect(result.reconnected).toBe(result.offline);
  expect(result.p50Ms).toBeLessThanOrEqual(result.p99Ms);
  expect(result.p99Ms).toBeLessThanOrEqual(result.maxMs);
  let versions = 0;
  for (let device = 0; device < 4; device++) {
    const answer = await fetch(new URL(`/things/sim-a-${device}/shadow`, server.url));
    versions += ((await answer.json()) as { version: number }).version;
  }
  expect(versions).toBe(result.accepted);
});

test("the same seed sends the same updates, and another seed others", async () => {
  const [one, two, other] = [await simulate("a"), await simulate("a"), await simulate("b")];
  expect(one.sent.size).toBe(4);
  expect(two.sent).toEqual(one.sent);
  expect([...other.sent.values()]).not.toEqual([...one.sent.values()]);
});

test("a device applies what is desired", async () => {
  const server = await startTestServer({ mail: false, dynamodb: false });
  onTestFinished(() => server.stop());
  const desired = { method: "PATCH", body: JSON.stringify({ desired: { color: "red" } }) };
  const shadow = new URL("/api/v3/shadows/sim-1-0", server.url);
  expect((await fetch(shadow, desired)).status).toBe(200);
  const { applied } = await simulateDevices({ url: server.mqttUrl, devices: 1, seconds: 3 });
  expect(applied).toBeGreaterThan(0);
  expect(await (await fetch(shadow)).json()).toMatchObject({ state: { reported: { color: "red" } } });
});

describe("a simulation", () => {
  test("that cannot connect fails", async () => {
    const url = "mqtt://127.0.0.1:1";
    await expect(simulateDevices({ url, devices: 3 })).rejects.toMatchObject({
      code: "SERVER_SIMULATION_FAILED",
    });
  });

  test("ends when it is aborted", async () => {
    const server = await startTestServer({ mail: false, dynamodb: false });
    onTestFinished(() => server.stop());
    const end = new AbortController();
    const running = simulateDevices({
      url: server.mqttUrl,
      devices: 2,
      seconds: 3600,
      signal: end.signal,
    });
    setTimeout(() => end.abort(new Error("enough")), 50);
    const outcome = await running.catch(() => ({ unsent: 1 }));
    expect(outcome.unsent).toBeGreaterThan(0);
  });

  test.each([
    [{ devices: 0 }, "devices"],
    [{ url: "http://127.0.0.1" }, "url"],
    [{ seed: "a/b" }, "seed"],
    [{ seconds: 0 }, "seconds"],
    [{ intervalMs: 0.5 }, "intervalMs"],
  ])("rejects %o", async (options, option) => {
    await expect(
      simulateDevices({ url: "mqtt://127.0.0.1:1", devices: 1, ...options }),
    ).rejects.toMatchObject({ code: "SERVER_OPTION_INVALID", details: { option } });
  });
});

test("plans of devices differ, and have steps of all kinds", () => {
  const kinds = new Set<string>();
  const traits = new Set<number>();
  for (let device = 0; device < 20; device++) {
    const { steps, skewMs } = planDevice("s", device);
    traits.add(skewMs);
    for (let count = 0; count < 100; count++) kinds.add(steps.next().value?.kind ?? "");
  }
  expect([...kinds].toSorted()).toEqual(["duplicate", "offline", "old", "report"]);
  expect(traits.size).toBe(20);
});

test("quantiles are at most 5 % too high", () => {
  const latencies = new Latencies();
  expect([latencies.quantileMs(0.5), latencies.maxMs]).toEqual([0, 0]);
  for (let ms = 1; ms <= 1000; ms++) latencies.add(ms);
  for (const part of [0.01, 0.5, 0.99]) {
    const found = latencies.quantileMs(part);
    expect(found).toBeGreaterThanOrEqual(part * 1000);
    expect(found).toBeLessThanOrEqual(part * 1050);
  }
  expect(latencies.quantileMs(1)).toBe(1000);
});
