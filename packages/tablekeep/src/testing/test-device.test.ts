import { expect, onTestFinished, test } from "vitest";
import { isolate } from "./isolate.ts";

/** Generous, because this tests the order and not the speed of the machine. */
const timeoutMs = 50_000;

test("a device applies what is desired, also what was desired while it was offline", async () => {
  const t = await isolate({ onTestFinished });
  const shadow = t.shadow("lamp");
  await shadow.desire({ on: true });
  const lamp = await t.device("lamp");
  expect(lamp.thing).toBe(shadow.thing);
  const applied = await shadow.waitFor({ reported: { on: true }, delta: null }, { timeoutMs });
  lamp.goOffline();
  const { version } = await shadow.desire({ level: 4 });
  expect(version).toBe(applied.version + 1);
  const late = lamp.report({ battery: 80 }, { timeoutMs });
  await lamp.goOnline();
  expect((await late).kind).toBe("accepted");
  await shadow.waitFor({ reported: { on: true, level: 4, battery: 80 }, delta: null }, { timeoutMs });
  expect(lamp.deltas).toEqual(expect.arrayContaining([{ on: true }, { level: 4 }]));
});

test("a message that is sent twice counts once, and an old one is rejected", async () => {
  const t = await isolate({ onTestFinished });
  const lamp = await t.device("lamp", { shadowName: "night", apply: false, clockSkewMs: -3_600_000 });
  const shadow = t.shadow("lamp", "night");
  expect(await lamp.report({ count: 1 }, { duplicate: true, timeoutMs })).toEqual({
    kind: "accepted",
    version: 1,
  });
  expect(await lamp.report({ count: 2 }, { timeoutMs })).toEqual({ kind: "accepted", version: 2 });
  expect(await lamp.report({ count: 0 }, { version: 1, timeoutMs })).toMatchObject({
    kind: "rejected",
    code: 409,
  });
  const { state } = await shadow.waitFor({ reported: { count: 2 } }, { timeoutMs });
  // The device's clock is an hour late.
  expect(Number(state.reported?.["at"])).toBeLessThan(Date.now() - 3_000_000);
  await shadow.desire({ on: true });
  await expect.poll(() => lamp.deltas).toEqual([{ on: true }]);
  expect((await shadow.get())?.state.reported?.["on"]).toBeUndefined();
});

test("a device decides what it reports after a delta, and when", async () => {
  const t = await isolate({ onTestFinished });
  const slow = withResolvers();
  await t.device("lamp", {
    apply: async ({ level }) => {
      await slow.promise;
      return { level: Math.min(Number(level), 10) };
    },
  });
  const shadow = t.shadow("lamp");
  const { version } = await shadow.desire({ level: 99 });
  expect(await shadow.get()).toMatchObject({ version, delta: { level: 99 } });
  slow.resolve();
  expect(await shadow.waitFor({ reported: { level: 10 } }, { timeoutMs })).toMatchObject({
    delta: { level: 99 },
  });
});

test("a report without a connection fails in time, and a device cannot connect after the test", async () => {
  const t = await isolate({ onTestFinished });
  const lamp = await t.device("lamp");
  lamp.goOffline();
  // Slow is fine: nothing answers.
  await expect(lamp.report({ on: true }, { timeoutMs: 1 })).rejects.toMatchObject({
    code: "SERVER_WAIT_TIMED_OUT",
    details: { seen: ["the device is offline"] },
  });
  await t.close();
  await expect(t.device("other")).rejects.toMatchObject({ code: "SERVER_SIMULATION_FAILED" });
});

/** Node 20 has no `Promise.withResolvers`. */
function withResolvers() {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
