import { unwrap } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { openRollouts, openShadowManager } from "../src/index.ts";
import { originalItem, shadowWorld } from "./shadow-world.ts";

/** Lamps that have reported their kind, and nothing else. */
async function lamps(things: readonly string[]) {
  const { engine: port, table } = await shadowWorld();
  const clock = fakeClock({ startAt: 1_000_000 });
  const manager = openShadowManager(port, { table, clock });
  const rollouts = openRollouts(port, manager, { table, clock });
  for (const id of things) unwrap(await manager.report({ id, state: { kind: "lamp" } }));
  const known = async () => (await rollouts.things("r")).things.map(({ status, reason }) => reason ?? status);
  /** The version of a thing becomes one that nobody can read. */
  const damage = (id: string) =>
    port.putItem({ TableName: table, Item: { ...originalItem(id, "DSC#", 1, {}), Version: { N: "1.5" } } });
  return { manager, rollouts, known, damage };
}

const basic = { name: "r", query: 'reported.kind = "lamp"', desired: { level: 1 } };

test("values that are removed need no report, also within objects that a thing does not have", async () => {
  const { manager, rollouts } = await lamps(["a"]);
  await rollouts.create({ ...basic, desired: { level: 1, mode: { eco: null, night: { from: null } } } });
  await rollouts.advance("r");
  expect(await rollouts.get("r")).toMatchObject({ phase: "running" });
  unwrap(await manager.report({ id: "a", state: { level: 1 } }));
  expect(await rollouts.advance("r")).toBe(false);
  expect(await rollouts.get("r")).toMatchObject({ phase: "succeeded" });
});

test("an object that is empty has to be reported", async () => {
  const { manager, rollouts } = await lamps(["a"]);
  await rollouts.create({ ...basic, desired: { mode: {} } });
  expect(await rollouts.advance("r")).toBe(true);
  unwrap(await manager.report({ id: "a", state: { mode: {} } }));
  expect(await rollouts.advance("r")).toBe(false);
});

test("a thing whose item is corrupt fails, and the others do not wait for it", async () => {
  const { manager, rollouts, known, damage } = await lamps(["a", "b", "c"]);
  await rollouts.create({ ...basic, waves: [2], gate: { succeeded: 0.5 } });
  await rollouts.advance("r");
  await damage("a");
  await damage("c");
  unwrap(await manager.report({ id: "b", state: { level: 1 } }));
  expect(await rollouts.advance("r")).toBe(false);
  expect(await known()).toEqual(["SHADOW_ITEM_CORRUPT", "succeeded", "SHADOW_ITEM_CORRUPT"]);
  expect(await rollouts.get("r")).toMatchObject({ phase: "paused", wave: 2 });
  await rollouts.rollBack("r");
  expect(await rollouts.advance("r")).toBe(false);
  expect(await known()).toEqual(["SHADOW_ITEM_CORRUPT", "restored", "SHADOW_ITEM_CORRUPT"]);
  expect((await manager.get({ id: "b" }))?.state.desired).toBeUndefined();
});

test("a rollback leaves a thing alone that the rollout never changed", async () => {
  const { manager, rollouts, known } = await lamps(["a", "b"]);
  await rollouts.create({ ...basic, waves: [1], gate: { succeeded: 1 } });
  await rollouts.advance("r");
  unwrap(await manager.delete({ id: "b" }));
  unwrap(await manager.report({ id: "a", state: { level: 1 } }));
  await rollouts.advance("r");
  expect(await known()).toEqual(["succeeded", "deleted"]);
  // Somebody else creates it again, and wants the same value.
  unwrap(await manager.desire({ id: "b", state: { level: 1 } }));
  await rollouts.rollBack("r");
  expect(await rollouts.advance("r")).toBe(false);
  expect((await manager.get({ id: "b" }))?.state.desired).toEqual({ level: 1 });
  expect(await known()).toEqual(["restored", "deleted"]);
});

test("accept is rejected for a rollout that is not paused, and may be repeated", async () => {
  const { rollouts } = await lamps(["a", "b"]);
  await rollouts.create({ ...basic, waves: [1] });
  await rollouts.advance("r");
  await expect(rollouts.resume("r", { accept: true })).rejects.toMatchObject({
    code: "SHADOW_ROLLOUT_PHASE",
    details: { phase: "running" },
  });
  expect(await rollouts.resume("r")).toMatchObject({ phase: "running" });
  await rollouts.pause("r");
  await rollouts.resume("r", { accept: true });
  expect(await rollouts.resume("r", { accept: true })).toMatchObject({ phase: "running" });
  await rollouts.advance("r");
  expect(await rollouts.get("r")).toMatchObject({ phase: "running", wave: 2 });
});

test("a rollback may be repeated, also after it has ended", async () => {
  const { rollouts } = await lamps(["a"]);
  await rollouts.create(basic);
  await rollouts.advance("r");
  for (const phase of ["rolling-back", "rolling-back"])
    expect(await rollouts.rollBack("r")).toMatchObject({ phase });
  await rollouts.advance("r");
  expect(await rollouts.rollBack("r")).toMatchObject({ phase: "rolled-back" });
});
