import { unwrap } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ShadowWorld, shadowWorld } from "../../test/shadow-world.ts";
import { openShadowManager, type ShadowModel, type ShadowPolicy } from "../index.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

const open = (policy: ShadowPolicy, model: ShadowModel = "combined") =>
  openShadowManager(world.port, { table: world.table, model }, { policy });
const models = ["combined", "separate"] as const;

describe.each(models)("the aws policy, %s", (model) => {
  test("keeps desired values and computes the delta; every update raises the version", async () => {
    const manager = open("aws", model);
    unwrap(await manager.desire({ id: "lamp", state: { on: true, color: { r: 1 } } }));
    const { current } = unwrap(await manager.report({ id: "lamp", state: { on: false, color: { r: 1 } } }));
    expect(current).toMatchObject({ version: 2, delta: { on: true } });
    const done = unwrap(await manager.report({ id: "lamp", state: { on: true } }));
    expect(done.current.delta).toBeUndefined();
    expect(done.changes).toEqual([
      { half: "reported", path: "/on", kind: "updated", before: false, after: true },
    ]);
    expect(await manager.get({ id: "lamp" })).toEqual(done.current);
    expect(unwrap(await manager.report({ id: "lamp", state: { on: true } })).current.version).toBe(4);
  });

  test("a version that is not the current one is a conflict, and nothing is written", async () => {
    const manager = open("aws", model);
    for (let count = 0; count < 3; count++) await manager.desire({ id: "lamp", state: { count } });
    const stale = await manager.desire({ id: "lamp", state: { count: 9 }, version: 2 });
    expect(stale).toMatchObject({ kind: "conflict", error: { code: "SHADOW_VERSION_CONFLICT" } });
    expect((await manager.desire({ id: "lamp", state: { count: 9 }, version: 3 })).kind).toBe("ok");
    expect((await manager.desire({ id: "none", state: {}, version: 1 })).kind).toBe("conflict");
    expect(unwrap(await manager.delete({ id: "lamp" })).version).toBe(4);
    expect(unwrap(await manager.desire({ id: "lamp", state: {} })).current.version).toBe(5);
  });
});

describe.each(models)("the acknowledge policy, %s", (model) => {
  test("removes reported values from the desired half", async () => {
    const manager = open("acknowledge", model);
    unwrap(await manager.desire({ id: "lamp", state: { on: true, level: 5 } }));
    const { current, changes } = unwrap(await manager.report({ id: "lamp", state: { on: true, level: 4 } }));
    expect(current.state).toEqual({ desired: { level: 5 }, reported: { on: true, level: 4 } });
    expect(changes.filter(({ kind }) => kind === "acknowledged")).toMatchObject([
      { half: "desired", path: "/on" },
    ]);
    const again = unwrap(await manager.report({ id: "lamp", state: { level: 4 } }));
    expect(again).toMatchObject({ written: false, current: { versions: current.versions } });
    expect(unwrap(await manager.report({ id: "lamp", state: { level: 5 } })).current.state).toEqual({
      reported: { on: true, level: 5 },
    });
  });

  test("a late message never overwrites a newer value", async () => {
    const manager = open("acknowledge", model);
    const at = (value: number, timestamp: string) => ({ value, timestamp });
    const new1 = at(1, "2026-03-01T10:00:00.000000002Z");
    await manager.report({ id: "s", state: { temp: new1, plain: 1 }, timestamp: 5_000 });
    const late = { temp: at(2, "2026-03-01T10:00:00.000000001Z"), plain: 2 };
    const { current } = unwrap(await manager.report({ id: "s", state: late, timestamp: 4_999 }));
    expect(current.state.reported).toEqual({ temp: new1, plain: 1 });
    const newer = { temp: at(3, "2026-03-01T12:00:00.5+02:00"), plain: 3 };
    expect(
      unwrap(await manager.report({ id: "s", state: newer, timestamp: 5_001 })).current.state.reported,
    ).toEqual(newer);
  });

  test("a late message overwrites nothing that is empty, and no value by an object", async () => {
    const manager = open("acknowledge", model);
    const state = { mode: "auto", alarms: [], extra: {} };
    unwrap(await manager.report({ id: "s", state, timestamp: 2_000_000 }));
    const late = { mode: { kind: "manual" }, alarms: ["fire"], extra: null };
    unwrap(await manager.report({ id: "s", state: late, timestamp: 1_000_000 }));
    unwrap(await manager.report({ id: "s", state: null, timestamp: 1_000_000 }));
    expect((await manager.get({ id: "s" }))?.state.reported).toEqual(state);
  });

  test("stores a request without a time, even if the clock was set back", async () => {
    const clock = fakeClock();
    const manager = openShadowManager(
      world.port,
      { table: world.table, model, clock },
      { policy: "acknowledge" },
    );
    unwrap(await manager.desire({ id: "s", state: { on: true } }));
    clock.jump(-1_000);
    unwrap(await manager.desire({ id: "s", state: { on: false } }));
    unwrap(await manager.desire({ id: "s", state: { extra: {} } }));
    expect((await manager.get({ id: "s" }))?.state.desired).toEqual({ on: false, extra: {} });
  });

  test("a time that is too large is rejected as an invalid value", async () => {
    const state = { t: { value: 1, timestamp: 1e306 } };
    const outcome = await open("acknowledge", model).report({ id: "s", state });
    expect(outcome).toMatchObject({ kind: "rejected", error: { code: "SHADOW_VALUE_INVALID" } });
  });
});

test("many writers at once lose no update", async () => {
  const managers = [open("aws"), open("aws"), open("aws")];
  const tasks = managers.flatMap((manager, at) =>
    Array.from({ length: 10 }, (_, n) => manager.report({ id: "x", state: { [`k${at}-${n}`]: n } })),
  );
  for (const outcome of await Promise.all(tasks)) expect(outcome.kind).toBe("ok");
  const view = await open("aws").get({ id: "x" });
  expect(view?.version).toBe(30);
  expect(Object.keys(view?.state.reported ?? {})).toHaveLength(30);
});

test("listeners and watchers receive each change, even if another listener throws", async () => {
  const manager = open("aws");
  const seen: string[] = [];
  manager.onChange(() => {
    throw new Error("mine");
  });
  const stop = manager.onChange(({ kind, version }) => seen.push(`${kind} ${version}`), { id: "a" });
  const watched = manager.watch({ id: "b" });
  await manager.desire({ id: "a", state: { x: 1 } });
  await manager.desire({ id: "b", state: { x: 1 } });
  await manager.delete({ id: "a" });
  stop();
  await manager.desire({ id: "a", state: { x: 1 } });
  expect(seen).toEqual(["updated 1", "deleted 1"]);
  expect((await watched.next()).value).toMatchObject({ id: "b", kind: "updated", version: 1 });
  await watched.return?.();
});
