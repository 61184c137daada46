import { unwrap } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { openRollouts, openShadowManager } from "../src/index.ts";
import { shadowWorld } from "./shadow-world.ts";

/** A rollout for three lamps, in waves of one, and its runners. */
async function rolloutOfLamps() {
  const { engine: port, table } = await shadowWorld();
  const clock = fakeClock({ startAt: 1_000_000 });
  const manager = openShadowManager(port, { table, clock });
  const open = (runner?: string) =>
    openRollouts(port, manager, { table, clock }, { ...(runner !== undefined && { runner }) });
  for (const id of ["a", "b", "c"]) unwrap(await manager.report({ id, state: { kind: "lamp" } }));
  const reader = open();
  await reader.create({ name: "r", query: 'reported.kind = "lamp"', desired: { level: 1 }, waves: [1, 1] });
  const report = async (id: string) => unwrap(await manager.report({ id, state: { level: 1 } }));
  const statuses = async () => (await reader.things("r")).things.map(({ status }) => status);
  return { clock, open, report, statuses };
}

test("another runner continues ten seconds after the last step of one that was killed", async () => {
  const { clock, open, report, statuses } = await rolloutOfLamps();
  const [killed, other] = [open(), open()];
  await killed.advance("r");
  await report("a");
  await clock.advance(9_999);
  expect(await other.advance("r")).toBe(true);
  expect(await statuses()).toEqual(["applied", "waiting", "waiting"]);
  await clock.advance(1);
  await other.advance("r");
  expect(await statuses()).toEqual(["succeeded", "applied", "waiting"]);
  // It was not killed, only late: the other one has the rollout now.
  await report("b");
  expect(await killed.advance("r")).toBe(true);
  expect(await statuses()).toEqual(["succeeded", "applied", "waiting"]);
});

test("another runner continues at once after a release, which leaves the leases of others alone", async () => {
  const { clock, open, report, statuses } = await rolloutOfLamps();
  const [one, other] = [open(), open()];
  await one.advance("r");
  await report("a");
  await one.release();
  await one.release();
  await other.advance("r");
  expect(await statuses()).toEqual(["succeeded", "applied", "waiting"]);
  await clock.advance(10_000);
  await one.advance("r");
  await other.release();
  await report("b");
  await other.advance("r");
  expect(await statuses()).toEqual(["succeeded", "applied", "waiting"]);
  await one.advance("r");
  expect(await statuses()).toEqual(["succeeded", "succeeded", "applied"]);
});

test("a runner that is started again under its name continues at once", async () => {
  const { open, report, statuses } = await rolloutOfLamps();
  await open("server-1").advance("r");
  await report("a");
  await open("server-1").advance("r");
  expect(await statuses()).toEqual(["succeeded", "applied", "waiting"]);
  expect(() => open("")).toThrow(
    expect.objectContaining({
      code: "SHADOW_OPTION_INVALID",
      details: expect.objectContaining({ option: "runner" }),
    }),
  );
});
