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

test("a rollback may be repeated, even after it has ended", async () => {
  const { rollouts } = await lamps(["a"]);
  await rollouts.create(basic);
  await rollouts.advance("r");
  for (const phase of ["rolling-back", "rolling-back"])
    expect(await rollouts.rollBack("r")).toMatchObject({ phase });
  await rollouts.advance("r");
  expect(await rollouts.rollBack("r")).toMatchObject({ phase: "rolled-back" });
});

test("a desired state that no shadow can have is rejected when the rollout is created", async () => {
  const { manager, rollouts } = await lamps(["a"]);
  const nested = (levels: number): object => (levels === 0 ? { on: true } : { inner: nested(levels - 1) });
  const { depth, stateBytes } = manager.limits;
  const impossible: [object, string][] = [
    [nested(depth), "SHADOW_TOO_DEEP"],
    [{ text: "x".repeat(stateBytes) }, "SHADOW_TOO_LARGE"],
    [{ mode: { "": 1 } }, "SHADOW_VALUE_INVALID"],
    [{ level: 1e200 }, "SHADOW_VALUE_INVALID"],
    [{ level: Number.NaN }, "SHADOW_VALUE_INVALID"],
    [{ colors: ["red", null] }, "SHADOW_VALUE_INVALID"],
    [{ scenes: [{ colors: [null] }] }, "SHADOW_VALUE_INVALID"],
  ];
  for (const [desired, code] of impossible)
    await expect(rollouts.create({ ...basic, desired: desired as never })).rejects.toMatchObject({ code });
  expect(await rollouts.list()).toEqual([]);
  // What is removed has no size.
  const long = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}`.padEnd(100, "x"), null]));
  await rollouts.create({ ...basic, desired: { ...nested(depth - 1), ...long } as never });
  await rollouts.advance("r");
  expect((await manager.get({ id: "a" }))?.state.desired).toEqual(nested(depth - 1));
});

test("a desired state that none of its things accepts is rejected when the rollout is created", async () => {
  const { engine: port, table } = await shadowWorld();
  const validate = ({ id }: { id: string }, { desired }: { desired?: object }) =>
    id.startsWith("lamp") && typeof (desired as { level?: unknown } | undefined)?.level === "string"
      ? { path: "/desired/level", reason: "must be number", schema: "lamp version 1" }
      : undefined;
  const manager = openShadowManager(port, { table }, { validate });
  const rollouts = openRollouts(port, manager, { table });
  for (let at = 0; at < 120; at++)
    unwrap(await manager.report({ id: `lamp-${at}`, state: { kind: "lamp" } }));
  unwrap(await manager.report({ id: "lamp-0", name: "config", state: { kind: "lamp" } }));
  const desired = { level: "high" };
  await expect(rollouts.create({ ...basic, desired })).rejects.toMatchObject({
    code: "SHADOW_SCHEMA_VIOLATION",
    details: { path: "/desired/level" },
  });
  expect(await rollouts.get("r")).toBeUndefined();
  // One of many accepts it: the others fail one by one.
  unwrap(await manager.report({ id: "fan", state: { kind: "lamp" } }));
  await rollouts.create({ ...basic, desired });
  await rollouts.create({ ...basic, name: "none", query: "version = 0", desired });
  await rollouts.create({ ...basic, name: "group", query: 'group = "none"', desired });
});

test("check returns why an update would be rejected, and writes nothing", async () => {
  const { manager } = await lamps(["a"]);
  const codeOf = async (request: object) => (await manager.check({ id: "a", ...request }))?.code;
  expect(await codeOf({ desired: { level: 1 } })).toBeUndefined();
  expect(await codeOf({ desired: { level: 1 }, version: 2 })).toBe("SHADOW_VERSION_CONFLICT");
  expect(await codeOf({ desired: { text: "x".repeat(9_000) } })).toBe("SHADOW_TOO_LARGE");
  expect(await codeOf({ reported: { "": 1 } })).toBe("SHADOW_VALUE_INVALID");
  expect(await codeOf({ id: "b", desired: { level: 1 } })).toBeUndefined();
  await expect(manager.check({ id: "a" })).rejects.toMatchObject({ code: "SHADOW_OPERATION_INVALID" });
  expect(await manager.get({ id: "a" })).toMatchObject({ version: 1, state: { reported: { kind: "lamp" } } });
  expect(await manager.get({ id: "b" })).toBeUndefined();
});
